% -*- texinfo -*-
% @deftypefn  {} {[@var{E}, @var{info}] =} inco_decohere (@var{D}, @var{mu}, @var{name}, @var{value}, @dots{})
% @deftypefnx {} {[@var{E}, @var{info}] =} inco_decohere (@var{D}, @var{mu}, @var{X}, @var{name}, @var{value}, @dots{})
% Find the nearest dictionary whose coherence is at most @var{mu}.
%
% @var{D} has an atom per column, of any norm, which the atoms of @var{E} keep. With signals @var{X}, one per column,
% @var{E} is the dictionary with the least error on them, for their codes in @var{D}; without them the one nearest in
% Frobenius norm.
%
% @code{inco_options ("decohere")} lists the options. @var{info} is a struct with @code{coherence_before},
% @code{coherence_max}, @code{reached}, @code{change} and others.
% @seealso{inco_inspect, inco_learn}
% @end deftypefn
function [E, info] = inco_decohere (D, mu, varargin)
  if nargin < 2
    error ('inco:invalid', 'usage: E = inco_decohere (D, mu)');
  end
  X = [];
  if ~isempty (varargin) && (isnumeric (varargin{1}) || islogical (varargin{1}))
    X = inco_full (varargin{1});
    varargin(1) = [];
  end
  settings = inco_settings (varargin);
  settings.max_coherence = mu;
  [E, info] = inco_mex ('decohere', inco_full (D), X, settings);
  if ~info.reached
    warning ('inco:target', 'the bound was missed: %g instead of %g', info.coherence_max, mu);
  end
end

%!shared D, X
%! D = cos ((1:12)' * (1.5:30.5) .^ 1.3);
%! X = cos ((1:12)' * (1:90) .^ 1.6);

%!test
%! [E, info] = inco_decohere (D, 0.5);
%! assert (inco_inspect (E).coherence_max <= 0.5);
%! assert (sqrt (sum (E .^ 2)), sqrt (sum (D .^ 2)), 1e-10);
%! assert (info.change, norm (E - D, 'fro') / norm (D, 'fro'), 1e-10);

%!test <*with signals the error is lower>
%! [E, info] = inco_decohere (D, 0.5, X, 'coder', 'omp', 'sparsity', 3);
%! C = inco_encode (D, X, 'coder', 'omp', 'sparsity', 3);
%! assert (norm (X - E * C, 'fro') < norm (X - inco_decohere (D, 0.5) * C, 'fro'));
%! assert (info.reached, 1);

%!error <infeasible> inco_decohere (D, 0.01)
%!error <usage> inco_decohere (D)
