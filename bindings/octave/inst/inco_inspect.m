% -*- texinfo -*-
% @deftypefn  {} {@var{info} =} inco_inspect (@var{D}, @var{name}, @var{value}, @dots{})
% @deftypefnx {} {} inco_inspect (@var{D})
% Measure how coherent a dictionary is, from any tool; without an output, print the figures.
%
% @var{D} has an atom per column, of any norm; the metrics are those of the normalised atoms. @var{info} is a struct:
%
% @table @code
% @item coherence_max, coherence_rms, coherence_mean, coherence_median
% of |d_i'd_j| over i < j
% @item welch, bound_name
% the lower bound on @code{coherence_max} for this size, and its name
% @item erc_sparsity, babel_sparsity
% the largest number of atoms for which recovery is guaranteed, by the coherence and by the Babel function
% @item babel
% the Babel function
% @item singular, flat_singular, frame_lower, frame_upper, rank
% the singular values; those of a tight frame; the frame bounds
% @item histogram
% numbers of pairs by |d_i'd_j|, in bins of equal width on [0, 1]
% @item pairs, pair_similarity
% the most coherent pairs, one per column, and their inner products
% @item nearest, nearest_similarity, nearest_quantile, quantile_level
% per atom, the one most similar to it (0 for a zero atom) and their inner product; quantiles of its size
% @item duplicate_first, duplicate_second, duplicate_similarity
% the near duplicates by the option @code{duplicates}, most coherent first
% @item duplicates, zero_atoms, norm_min, norm_max
% pairs that are nearly parallel; atoms that are zero; norms
% @end table
%
% @code{inco_options ("inspect")} lists the options.
% @seealso{inco_decohere, inco_frame}
% @end deftypefn
function info = inco_inspect (D, varargin)
  if nargin < 1
    error ('inco:invalid', 'usage: info = inco_inspect (D)');
  end
  metrics = inco_mex ('inspect', inco_full (D), inco_settings (varargin));
  if nargout > 0
    info = metrics;
    return;
  end
  fprintf ('%d atoms of %d dimensions\n', metrics.atoms, metrics.dim);
  fprintf ('coherence        max %.4f, rms %.4f, mean %.4f, median %.4f\n', metrics.coherence_max, ...
           metrics.coherence_rms, metrics.coherence_mean, metrics.coherence_median);
  fprintf ('%-16s %.4f\n', metrics.bound_name, metrics.welch);
  fprintf ('exact recovery   up to %d atoms\n', metrics.erc_sparsity);
  fprintf ('singular values  %.4f to %.4f; of a tight frame %.4f\n', metrics.singular(1), metrics.singular(end), ...
           metrics.flat_singular);
  fprintf ('norms            %.4g to %.4g; %d atoms are zero\n', metrics.norm_min, metrics.norm_max, metrics.zero_atoms);
  fprintf ('duplicates       %d\n', metrics.duplicates);
end

%!shared D
%! D = cos ((1:12)' * (1.5:30.5) .^ 1.3);

%!test
%! info = inco_inspect (D);
%! U = D ./ sqrt (sum (D .^ 2));
%! G = abs (U' * U);
%! pairs = G(triu (true (30), 1));
%! assert (info.coherence_max, max (pairs), 1e-12);
%! assert (info.coherence_rms, sqrt (mean (pairs .^ 2)), 1e-12);
%! assert (info.coherence_median, median (pairs), 1e-3);
%! assert (info.singular, svd (U)', 1e-10);
%! assert (info.welch, sqrt ((30 - 12) / (12 * 29)), 1e-12);
%! assert (sum (info.histogram), numel (pairs));
%! first = info.pairs(:, 1);
%! assert (G(first(1), first(2)), info.coherence_max, 1e-12);
%! assert (info.babel(1), info.coherence_max, 1e-12);
%! [best, at] = max (G - diag (diag (G)));
%! assert (info.nearest, at);
%! assert (abs (info.nearest_similarity), best, 1e-12);
%! assert (info.nearest_quantile(info.quantile_level == 0.5), median (best), 1e-12);
%! near = inco_inspect (D, 'duplicates', 0.5);
%! assert (numel (near.duplicate_first), sum (pairs >= 0.5));
%! assert (G(sub2ind (size (G), near.duplicate_first, near.duplicate_second)), abs (near.duplicate_similarity), 1e-12);

%!test <*printed without an output>
%! text = evalc ('inco_inspect (D)');
%! assert (! isempty (strfind (text, '30 atoms of 12 dimensions')));

%!assert (inco_inspect ([D, D(:, 1)]).duplicates, inco_inspect (D).duplicates + 1)
%!error <usage> inco_inspect ()
%!error id=inco:data inco_inspect (NaN (3))

%!demo
%! % The singular values of a random dictionary and of a frame.
%! D = randn (64, 128);
%! D = D ./ sqrt (sum (D .^ 2));
%! plot ([inco_inspect(D).singular; inco_inspect(inco_frame (64, 128, 'starts', 1)).singular]');
%! legend ('random', 'inco\_frame');
