% -*- texinfo -*-
% @deftypefn {} {@var{info} =} inco_compare (@var{A}, @var{B}, @var{name}, @var{value}, @dots{})
% Match the atoms of two dictionaries up to sign and norm.
%
% @var{A} and @var{B} have an atom per column, of any norm; their numbers of atoms may differ. @var{info} is a struct:
%
% @table @code
% @item match, match_similarity
% per atom of @var{A}, its atom of @var{B} (0: none) and their inner product: the matching one to one with the largest
% sum of |a_i'b_j|, by the Hungarian method
% @item matched, mean_similarity
% the number of pairs, and their mean |a_i'b_j|
% @item recovered, threshold
% the number of pairs with |a_i'b_j| of at least 0.99, 0.95 and 0.9
% @item nearest_a, nearest_similarity_a, mean_nearest_a, recovered_a, collisions_a
% the same if each atom of @var{A} has its most similar atom of @var{B}, and the number of atoms whose most similar atom
% is also that of an earlier one; and conversely with @code{_b}
% @item coherence_max_a, coherence_rms_a, coherence_max_b, coherence_rms_b
% of each dictionary
% @end table
%
% @code{inco_options ("compare")} lists the options.
% @seealso{inco_inspect}
% @end deftypefn
function info = inco_compare (A, B, varargin)
  if nargin < 2
    error ('inco:invalid', 'usage: info = inco_compare (A, B)');
  end
  info = inco_mex ('compare', inco_full (A), inco_full (B), inco_settings (varargin));
end

%!shared A
%! A = cos ((1:12)' * (1.5:30.5) .^ 1.3);

%!test
%! order = [30:-2:2, 1:2:29];
%! B = -3 * A(:, order);
%! info = inco_compare (A, B);
%! assert (order(info.match), 1:30);
%! assert (info.match_similarity, -ones (1, 30), 1e-12);
%! assert (info.recovered, [30 30 30]);
%! assert ([info.matched, info.mean_similarity, info.collisions_a], [30, 1, 0], 1e-12);

%!test <*other numbers of atoms, and a zero atom>
%! B = [A(:, 5), zeros(12, 1), A(:, 7)];
%! info = inco_compare (A, B);
%! assert (find (info.match), [5 7]);
%! assert (info.match([5 7]), [1 3]);
%! assert (info.nearest_b, [5 0 7]);
%! assert ([info.matched, info.zero_b, info.collisions_a], [2, 1, 28]);

%!error <usage> inco_compare (1)
%!error <12 dimensions, those of the second 11> inco_compare (A, A(1:11, :))
