function [X, settings, job] = inco_ksvdbox (params)
% Fields of KSVD-Box as options of inco, with its defaults; other fields are options of inco. `job` has the other ones: the
% test signals and whether an error is the target of the codes.
  [X, settings] = inco_take (params, 'data', []);
  X = inco_full (X);
  [sparsity, settings] = inco_take (settings, 'Tdata', []);
  [target, settings] = inco_take (settings, 'Edata', []);
  [limit, settings] = inco_take (settings, 'maxatoms', []);
  [mode, settings] = inco_take (settings, 'codemode', 'sparsity');
  [job.test, settings] = inco_take (settings, 'testdata', []);
  [~, settings] = inco_take (settings, 'memusage', '');  % the result does not depend on it
  job.error = isempty (sparsity) || strcmpi (mode, 'error');
  if job.error
    sparsity = limit;
  end
  if (job.error && isempty (target)) || (~job.error && isempty (sparsity)) || ~any (strcmpi (mode, {'sparsity', 'error'}))
    error ('inco:invalid', 'the target of the sparse coding is missing: give Tdata or Edata, or codemode both');
  end
  if job.error
    settings = preset (settings, 'residual_norm', target);
  end
  settings = preset (settings, 'coder', 'omp');
  settings = preset (settings, 'sparsity', sparsity);
  settings = preset (settings, 'normalize', 'none');
  [iterations, settings] = inco_take (settings, 'iternum', 10);
  settings = preset (settings, 'iterations', iterations);
  settings = initial (X, settings);
  [settings, job.ksvd] = update (settings);
end

% The initial dictionary: a matrix, or indices of signals, of which the first dictsize are taken.
function settings = initial (X, settings)
  [start, settings] = inco_take (settings, 'initdict', []);
  [count, settings] = inco_take (settings, 'dictsize', []);
  if isempty (start)
    settings = preset (settings, 'atoms', count);
    return;
  end
  if isvector (start) && all (start == fix (start)) && all (start >= 1) && max (start) <= size (X, 2)
    start = X(:, start);
  end
  if isempty (count)
    count = size (start, 2);
  elseif count > size (start, 2)
    error ('inco:dimension', 'initdict has %d atoms, fewer than dictsize, %d', size (start, 2), count);
  end
  settings.init = start(:, 1:count);
end

% Approximate K-SVD, or K-SVD with `exact`; atoms that are too coherent or used by fewer than four signals are replaced.
function [settings, ksvd] = update (settings)
  [exact, settings] = inco_take (settings, 'exact', 0);
  [threshold, settings] = inco_take (settings, 'muthresh', []);
  methods = {'aksvd', 'ksvd'};
  settings = preset (settings, 'method', methods{1 + (exact ~= 0)});
  ksvd = any (strcmp (settings.method, methods));
  if ksvd && isempty (threshold)
    threshold = 0.99;
  end
  if ~isempty (threshold) && threshold < 1
    settings = preset (settings, 'replace', threshold);
    settings = preset (settings, 'replace_last', 'published');
  end
  if ksvd
    settings = preset (settings, 'min_uses', 4);
  end
end

function settings = preset (settings, name, value)
  if ~isfield (settings, name) && ~isempty (value)
    settings.(name) = value;
  end
end
