% -*- texinfo -*-
% @deftypefn {} {[@var{F}, @var{info}] =} inco_frame (@var{dim}, @var{atoms}, @var{name}, @var{value}, @dots{})
% Design a frame: @var{atoms} unit vectors in @var{dim} dimensions with the lowest coherence found, without data.
%
% @code{inco_options ("frame")} lists the options. @var{info} is a struct with @code{coherence_max}, its lower bound
% @code{welch}, @code{tightness} and others.
% @seealso{inco_inspect, inco_learn}
% @end deftypefn
function [F, info] = inco_frame (dim, atoms, varargin)
  if nargin < 2
    error ('inco:invalid', 'usage: F = inco_frame (dim, atoms)');
  end
  settings = inco_settings (varargin);
  settings.dim = dim;
  settings.atoms = atoms;
  [F, info] = inco_mex ('frame', settings);
end

%!test <*the six diagonals of the icosahedron>
%! [F, info] = inco_frame (3, 6);
%! assert (size (F), [3, 6]);
%! G = abs (F' * F);
%! assert (G(triu (true (6), 1)), ones (15, 1) / sqrt (5), 1e-6);
%! assert (info.welch, 1 / sqrt (5), 1e-12);
%!assert (inco_frame (5, 3)' * inco_frame (5, 3), eye (3), 1e-12)
%!error id=inco:invalid inco_frame (0, 3)
%!error <usage> inco_frame (3)

%!demo
%! % Inner products of a frame and of random atoms.
%! R = randn (16, 64);
%! hist ([inco_inspect(R).pair_similarity; inco_inspect(inco_frame (16, 64, 'starts', 1)).pair_similarity]');
