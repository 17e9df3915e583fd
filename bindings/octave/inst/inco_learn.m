% -*- texinfo -*-
% @deftypefn  {} {[@var{D}, @var{C}, @var{info}] =} inco_learn (@var{X}, @var{name}, @var{value}, @dots{})
% @deftypefnx {} {[@var{D}, @var{C}, @var{info}] =} inco_learn (@var{X}, @var{settings})
% @deftypefnx {} {[@var{D}, @var{C}, @var{err}, @var{gerr}, @var{info}] =} inco_learn (@var{params}, @var{messages})
% @deftypefnx {} {[@var{D}, @var{C}, @var{info}] =} inco_learn ()
% Learn a dictionary of unit-norm atoms for sparse coding, with bounded coherence.
%
% Minimises ||X - D C||^2 + gamma ||D'D - I||^2 over dictionaries @var{D} and sparse codes @var{C}.
%
% @var{X} has a signal per column, double or single; or it names files, folders or patterns (.npy, .npz, .csv, .mat,
% audio, images), as text or as a cell array of texts. @var{D} has an atom per column and the class of @var{X};
% @var{C} is a sparse matrix with the codes of the signals.
%
% Options are given by name, or as the fields of a struct; @code{inco_options ("learn")} lists them. The most used:
% atoms, method, iterations, gamma, gamma_relative, max_coherence, coder, sparsity, tolerance, normalize, seed. Further:
%
% @table @code
% @item init
% also a matrix, the initial dictionary
% @item verbose
% true: print a line per iteration
% @item callback
% a function that is called several times per iteration with a struct: @code{phase}, @code{iteration},
% @code{relative_error}, @code{coherence_max} and others. In phase @qcode{"iteration"} the field @code{dictionary} is the
% dictionary so far. If it returns true, learning stops after the current step; the result is the dictionary so far.
% @end table
%
% @var{info} is a struct: the largest coherence @code{coherence_max}, @code{coherence_rms}, @code{gamma},
% @code{relative_error} of the normalised signals, @code{stopped_by}, the rows of the iterations in @code{history},
% and others.
%
% Ctrl-C stops after the current step. @code{inco_learn ()} then returns what was learned; its codes are empty.
%
% @strong{In place of ksvd of KSVD-Box.} A struct @var{params} with the fields of KSVD-Box, data, Tdata or Edata,
% dictsize or initdict, and optionally iternum, testdata, muthresh, codemode, exact, maxatoms, memusage, gives what its
% ksvd returns: @var{err} and @var{gerr}, the root mean square error of the signals and of the test signals after every
% iteration; with Edata, the mean number of atoms per signal. Further fields are options, such as @code{method} or
% @code{max_coherence}. The method is approximate K-SVD, with @code{exact} K-SVD; with another method @var{err} is that
% before the update of the dictionary. @var{messages} is a text, by default "t": i iterations, r replaced atoms,
% t errors.
% @seealso{inco_encode, inco_inspect, inco_options}
% @end deftypefn
function [D, C, varargout] = inco_learn (X, varargin)
  if nargin == 0
    [D, varargout{1}] = inco_mex ('interrupted');
    C = [];
  elseif isstruct (X) && isfield (X, 'data')
    [D, C, varargout{1:3}] = learn_ksvdbox (X, varargin, nargout);
  else
    [D, C, varargout{1}] = inco_run_learner (X, inco_settings (varargin), nargout > 1);
  end
end

function [D, C, err, gerr, info] = learn_ksvdbox (params, list, outputs)
  [X, settings, job] = inco_ksvdbox (params);
  job.messages = 't';
  for i = 1:numel (list)
    if ischar (list{i})
      job.messages = lower (list{i});  % a number is the seconds between messages of its OMP, which there are none of here
    elseif ~isnumeric (list{i})
      error ('inco:invalid', 'the messages must be given as a text of the letters i, r and t');
    end
  end
  if ischar (X) || iscell (X)
    error ('inco:invalid', 'data must be a matrix with a signal per column');
  end
  job.size = size (X);
  job.energy = sum (double (X(:)) .^ 2);
  job.coding = struct ('coder', settings.coder);
  for name = {'sparsity', 'residual_norm'}
    if isfield (settings, name{1})
      job.coding.(name{1}) = settings.(name{1});
    end
  end
  measures = ~isempty (job.test) && (outputs > 3 || any (job.messages == 't'));
  tested = containers.Map ('KeyType', 'double', 'ValueType', 'double');  % by iteration, filled by the callback
  if measures || ~isempty (job.messages)
    settings.callback = @(progress) watch (job, measures, tested, progress);
  end
  [D, C, info] = inco_run_learner (X, settings, outputs > 1);
  err = training_error (job, info.history);
  gerr = cell2mat (values (tested));
end

% After every iteration: the error of the test signals, and a message.
function stop = watch (job, measures, tested, progress)
  stop = false;
  if ~strcmp (progress.phase, 'iteration')
    return;
  end
  if measures
    tested(progress.iteration) = test_error (job, progress.dictionary);
  end
  if ~any (ismember (job.messages, 'irt'))
    return;
  end
  text = sprintf ('Iteration %d / %d complete', progress.iteration, progress.iterations);
  names = {'RMSE', 'mean atom count'};
  if any (job.messages == 't')
    text = sprintf ('%s, %s = %.4g', text, names{1 + job.error}, training_error (job, progress));
    if measures
      text = sprintf ('%s, test %s = %.4g', text, names{1 + job.error}, tested(progress.iteration));
    end
  end
  if any (job.messages == 'r')
    text = sprintf ('%s, replaced %d atoms', text, progress.replaced);
  end
  fprintf ('%s\n', text);
end

function err = training_error (job, progress)
  if job.error
    err = progress.mean_cardinality;
  elseif job.ksvd
    err = sqrt (progress.objective / prod (job.size));
  else
    err = progress.relative_error * sqrt (job.energy / prod (job.size));
  end
end

function err = test_error (job, D)
  [C, info] = inco_encode (D, job.test, job.coding);
  if job.error
    err = info.mean_cardinality;
  else
    err = sqrt (mean (mean ((double (job.test) - D * C) .^ 2)));
  end
end

%!shared X
%! X = cos ((1:16)' * (1:200) .^ 1.5 / 3);

%!test <*signals and atoms are columns; the codes are sparse>
%! [D, C, info] = inco_learn (X, 'atoms', 24, 'coder', 'omp', 'sparsity', 3, 'iterations', 5, 'normalize', 'none');
%! assert (size (D), [16, 24]);
%! assert (sqrt (sum (D .^ 2)), ones (1, 24), 4 * eps);
%! assert (issparse (C) && all (size (C) == [24, 200]));
%! assert (full (max (sum (C ~= 0))) <= 3);
%! assert (norm (X - D * C, 'fro') / norm (X, 'fro'), info.relative_error, 1e-10);
%! assert (numel (info.history.objective), 5);
%! assert (info.history.iteration, 1:5);
%! G = abs (D' * D - eye (24));
%! assert (max (G(:)), info.coherence_max, 1e-12);

%!test <*a struct of options is the same as pairs>
%! settings = struct ('atoms', 20, 'max_coherence', 0.7, 'iterations', 3, 'threads', 1);
%! D = inco_learn (X, settings);
%! assert (inco_learn (X, 'atoms', 20, 'max-coherence', '0.7', 'iterations', 3), D);
%! G = abs (D' * D - eye (20));
%! assert (max (G(:)) <= 0.7);

%!test <*single stays single; other classes are double>
%! [D, C] = inco_learn (single (X), 'atoms', 20, 'iterations', 2);
%! assert (class (D), 'single');
%! assert (issparse (C));
%! N = round (100 * X);
%! assert (inco_learn (int16 (N), 'atoms', 20, 'iterations', 2), inco_learn (N, 'atoms', 20, 'iterations', 2));

%!test <*an initial dictionary; no iteration leaves it as it is>
%! start = X(:, 1:18) ./ sqrt (sum (X(:, 1:18) .^ 2));
%! assert (inco_learn (X, 'init', start, 'iterations', 0), start, 1e-12);

%!test <*a callback sees every iteration with its dictionary, and can stop the run>
%! seen = containers.Map ('KeyType', 'double', 'ValueType', 'any');
%! function stop = watch (seen, progress)
%!   stop = false;
%!   if strcmp (progress.phase, 'iteration')
%!     seen(progress.iteration) = progress.dictionary;
%!     stop = progress.iteration == 3;
%!   end
%! end
%! [D, ~, info] = inco_learn (X, 'atoms', 20, 'callback', @(progress) watch (seen, progress));
%! assert (info.stopped_by, 'callback');
%! assert (cell2mat (keys (seen)), 1:3);
%! assert (seen(3), D);

%!test <*lines per iteration>
%! text = evalc ("inco_learn (X, 'atoms', 20, 'iterations', 2, 'verbose', true);");
%! assert (numel (strfind (text, 'Iteration')), 2);

%!test <*the path of gamma>
%! [~, ~, info] = inco_learn (cos ((1:16)' * (1:1200) .^ 1.5), 'atoms', 20, 'gamma', 'auto', 'iterations', 2);
%! assert (info.path.gamma(info.path.chosen), info.gamma, 1e-6 * info.gamma);
%! assert (issorted (info.path.gamma));

%!test <*files>
%! name = [tempname(), '.csv'];
%! csvwrite (name, X');
%! unwind_protect
%!   own = {'atoms', 20, 'iterations', 1, 'init', 'random'}; % csvwrite rounds, and starts are drawn by content
%!   assert (inco_learn (name, own{:}), inco_learn (X, own{:}), 1e-3);
%! unwind_protect_cleanup
%!   delete (name);
%! end_unwind_protect

%!error <signals from files> inco_learn (X, 'atoms', 20, 'weights', 'W.npy')
%!error <callback fails> inco_learn (X, 'atoms', 20, 'callback', @(progress) error ('a:b', 'callback fails'))
%!error id=a:b inco_learn (X, 'atoms', 20, 'callback', @(progress) error ('a:b', 'callback fails'))
%!error id=inco:invalid inco_learn (X, 'atoms', 20, 'gama', 1)
%!error <no option 'starts' here> inco_learn (X, 'atoms', 20, 'starts', 1)
%!error <option 'max_coherence'> inco_learn (X, 'atoms', 20, 'max_coherence', 2)
%!error <'gamma_relative' a number> inco_learn (X, 'atoms', 20, 'gamma', 'auto')
%!error <number of atoms missing: option 'atoms'> inco_learn (X)
%!error id=inco:data inco_learn ([X, NaN(16, 1)], 'atoms', 20)
%!error id=inco:dimension inco_learn (X, 'init', ones (3, 4))
%!error <X is sparse> inco_learn (sparse (X), 'atoms', 20)
%!error <X is complex> inco_learn (X * i, 'atoms', 20)
%!error <pairs of names and values> inco_learn (X, 'atoms')
%!error <must be a text, a number> inco_learn (X, 'atoms', {20})
%!error id=inco:file inco_learn ('no such file.npy', 'atoms', 20)
%!warning id=inco:target D = inco_learn (X, 'atoms', 32, 'method', 'idb', 'coder', 'omp', 'sparsity', 3, 'iterations', 1, 'max_coherence', 0.3);

%!test <*fields of KSVD-Box>
%! params = struct ('data', X, 'Tdata', 3, 'dictsize', 20, 'iternum', 4, 'testdata', X(:, 1:50), 'muthresh', 0.95);
%! [D, C, err, gerr, info] = inco_learn (params, '');
%! assert (size (err), [1, 4]);
%! assert (size (gerr), [1, 4]);
%! assert (err(4) <= err(1));
%! assert (full (max (sum (C ~= 0))) <= 3);
%! T = inco_encode (D, X(:, 1:50), 'coder', 'omp', 'sparsity', 3);
%! assert (info.replaced_last > 0 || abs (sqrt (mean (mean ((X(:, 1:50) - D * T) .^ 2))) - gerr(4)) < 1e-10);
%! [E, ~, ~, ~, exact] = inco_learn (setfield (params, 'exact', 1), '');
%! assert (! isequal (D, E));

%!test <*an error in the norm of KSVD-Box, at most maxatoms atoms>
%! params = struct ('data', X, 'Edata', 0.8, 'dictsize', 20, 'iternum', 3, 'maxatoms', 8);
%! [D, C, err] = inco_learn (params, '');
%! left = sqrt (sum ((X - D * C) .^ 2));
%! count = full (sum (C ~= 0));
%! assert (all (left <= 0.8 * (1 + 1e-9) | count == 8));
%! assert (any (count < 8) && any (left > 0.4));
%! assert (size (err), [1, 3]);

%!test <*indices of signals as the initial dictionary, of which the first are taken>
%! params = struct ('data', X, 'Tdata', 2, 'initdict', 5:40, 'dictsize', 20, 'iternum', 0);
%! D = inco_learn (params, '');
%! assert (D, X(:, 5:24) ./ sqrt (sum (X(:, 5:24) .^ 2)), 1e-12);

%!test <*another method in place of K-SVD>
%! params = struct ('data', X, 'Tdata', 2, 'dictsize', 20, 'iternum', 3, 'method', 'idl', 'max_coherence', 0.6);
%! D = inco_learn (params, '');
%! G = abs (D' * D - eye (20));
%! assert (max (G(:)) <= 0.6);

%!test <*messages of KSVD-Box>
%! params = struct ('data', X, 'Tdata', 2, 'dictsize', 20, 'iternum', 2, 'testdata', X);
%! text = evalc ("inco_learn (params, 'tr');");
%! assert (numel (regexp (text, 'Iteration \d / 2 complete, RMSE = \S+, test RMSE = \S+, replaced \d+ atoms')), 2);
%! assert (isempty (evalc ("inco_learn (params, '');")));

%!error <Tdata or Edata> inco_learn (struct ('data', X, 'dictsize', 20))
%!error id=inco:dimension inco_learn (struct ('data', X, 'Tdata', 2, 'dictsize', 20, 'initdict', ones (16, 3)))

%!demo
%! % Atoms learned from sums of two cosines; with the bound no two of them are alike.
%! t = (0:63)';
%! X = cos (t * (0.2 + rand (1, 2000))) + cos (t * (0.2 + rand (1, 2000)));
%! D = inco_learn (X, 'atoms', 96, 'coder', 'omp', 'sparsity', 4, 'max_coherence', 0.4, 'iterations', 10);
%! plot (t, D(:, 1:4));
%! title (sprintf ('Four of 96 atoms; largest coherence %.2f', inco_inspect (D).coherence_max));
