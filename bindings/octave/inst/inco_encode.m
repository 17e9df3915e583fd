% -*- texinfo -*-
% @deftypefn  {} {[@var{C}, @var{info}] =} inco_encode (@var{D}, @var{X}, @var{name}, @var{value}, @dots{})
% @deftypefnx {} {[@var{C}, @var{info}] =} inco_encode (@var{D}, @var{X}, @var{settings})
% Compute sparse codes of signals in a dictionary, so that @code{@var{D} * @var{C}} approximates @var{X}.
%
% @var{D} has an atom per column, of any norm; @var{X} a signal per column, or it names files as for
% @code{inco_learn}. @var{C} is a sparse matrix with a column per signal.
%
% Options are given by name, or as the fields of a struct; @code{inco_options ("encode")} lists them: coder
% ("omp", "ols", "larc", "lars", "lasso"), sparsity, tolerance, residual_norm, lambda, residual_coherence and others.
%
% @var{info} is a struct with @code{relative_error}, @code{snr_db}, @code{mean_cardinality} and others.
% @seealso{inco_decode, inco_learn, inco_options}
% @end deftypefn
function [C, info] = inco_encode (D, X, varargin)
  if nargin < 2
    error ('inco:invalid', 'usage: C = inco_encode (D, X, name, value, ...)');
  end
  [C, info] = inco_mex ('encode', inco_full (D), inco_full (X), inco_settings (varargin));
end

%!shared D, X
%! D = cos ((1:12)' * (1.5:30.5) .^ 1.3);
%! X = cos ((1:12)' * (1:50) .^ 1.6);

%!test <*OMP: the residual is orthogonal to the atoms chosen>
%! [C, info] = inco_encode (D, X, 'coder', 'omp', 'sparsity', 4);
%! assert (issparse (C) && all (size (C) == [30, 50]));
%! assert (full (sum (C ~= 0)), 4 * ones (1, 50));
%! R = D' * (X - D * C);
%! assert (max (abs (R(C ~= 0))) < 1e-10);
%! assert (info.relative_error, norm (X - D * C, 'fro') / norm (X, 'fro'), 1e-12);

%!test <*NaN marks missing entries; the codes fill them>
%! G = X;
%! G(1:5:end) = NaN;
%! [C, info] = inco_encode (D, G, 'sparsity', 3, 'missing', 'nan');
%! assert (info.missing_entries, sum (isnan (G(:))));
%! R = G - D * C;
%! seen = ! isnan (G);
%! assert (info.relative_error, norm (R(seen)) / norm (G(seen)), 1e-12);
%! assert (all (isfinite (inco_decode (D, C)(:))));

%!error <missing> inco_encode (D, NaN * X, 'sparsity', 3)
%!error <mask> inco_encode (D, X, 'sparsity', 3, 'mask', 'M.npy')

%!test <*the lasso: its optimality conditions, for atoms of unit norm>
%! U = D ./ sqrt (sum (D .^ 2));
%! C = inco_encode (U, X, struct ('coder', 'lasso', 'lambda', 0.3));
%! R = U' * (X - U * C);
%! assert (max (abs (R(:))) <= 0.3 + 1e-9);
%! assert (R(C ~= 0), 0.3 * sign (full (C(C ~= 0))), 1e-9);

%!test <*a bound on the norm of the residual>
%! C = inco_encode (D, X, 'coder', 'omp', 'residual_norm', 0.5);
%! left = sqrt (sum ((X - D * C) .^ 2));
%! assert (all (left <= 0.5));
%! assert (any (left > 0.25));

%!test <*single>
%! C = inco_encode (single (D), single (X), 'coder', 'omp', 'sparsity', 2);
%! assert (class (C), 'double');
%! assert (full (sum (C ~= 0)), 2 * ones (1, 50));

%!error <there are no signals> inco_encode (D, zeros (12, 0), 'coder', 'omp', 'sparsity', 2)
%!error id=inco:dimension inco_encode (D, X(1:5, :), 'coder', 'omp', 'sparsity', 2)
%!error <needs a stopping rule: option 'sparsity', 'tolerance'> inco_encode (D, X, 'coder', 'lars')
%!error <no option 'atoms' here> inco_encode (D, X, 'atoms', 3)
%!error <D is of class cell> inco_encode ({}, X)
%!error <usage> inco_encode (D)
