% -*- texinfo -*-
% @deftypefn {} {@var{X} =} inco_decode (@var{D}, @var{C})
% Compute the signals that codes stand for, @code{@var{D} * @var{C}}, a signal per column.
%
% @var{C} is a sparse matrix, as from @code{inco_encode}, or a full one. The product is computed in double and has the
% class of @var{D} or the wider one.
% @seealso{inco_encode}
% @end deftypefn
function X = inco_decode (D, C)
  if nargin ~= 2
    error ('inco:invalid', 'usage: X = inco_decode (D, C)');
  end
  X = inco_mex ('decode', inco_full (D), sparse (double (C)));
end

%!test
%! D = reshape (1:20, 4, 5) / 7;
%! C = sparse ([1, 5, 2], [1, 1, 3], [2, -1, 0.5], 5, 3);
%! assert (inco_decode (D, C), D * full (C), 4 * eps);
%! assert (inco_decode (D, full (C)), D * full (C), 4 * eps);
%!error id=inco:dimension inco_decode (ones (4, 5), speye (3))
%!error <usage> inco_decode (ones (4, 5))
