function [D, C, info] = inco_run_learner (X, settings, codes)
% Learns with options in a struct, to which belong `init` as a matrix, `callback` and `verbose`; codes if `codes`.
  [callback, settings] = inco_take (settings, 'callback', []);
  [verbose, settings] = inco_take (settings, 'verbose', false);
  initial = [];
  if isfield (settings, 'init') && ~ischar (settings.init)
    [initial, settings] = inco_take (settings, 'init', []);
  end
  if isempty (callback) && verbose
    callback = @show;
  end
  if ~isempty (callback)
    callback = @(progress) inco_guarded (callback, progress);
  end
  C = [];
  if codes
    [D, info, C] = inco_mex ('learn', inco_full (X), inco_full (initial), settings, callback);
  else
    [D, info] = inco_mex ('learn', inco_full (X), inco_full (initial), settings, callback);
  end
  warn_missed (info, settings);
end

function stop = show (progress)
  stop = false;
  if strcmp (progress.phase, 'iteration')
    fprintf ('Iteration %d / %d: relative error %.4f, coherence %.4f (rms %.4f)\n', progress.iteration, ...
             progress.iterations, progress.relative_error, progress.coherence_max, progress.coherence_rms);
  end
end

% Warns of a target that was missed by more than rounding.
function warn_missed (info, settings)
  if strcmp (info.stopped_by, 'callback')
    return;
  end
  wanted = struct ('target_rms', Inf, 'target_error', Inf);
  for name = fieldnames (wanted)'
    if isfield (settings, name{1}) && isnumeric (settings.(name{1})) && isscalar (settings.(name{1}))
      wanted.(name{1}) = settings.(name{1});
    end
  end
  if info.coherence_target > 0 && info.coherence_max > info.coherence_target + 1e-6
    warning ('inco:target', 'max_coherence was missed: %g instead of %g', info.coherence_max, info.coherence_target);
  end
  if info.coherence_rms > wanted.target_rms * (1 + 1e-6)
    warning ('inco:target', 'target_rms was missed: %g instead of %g', info.coherence_rms, wanted.target_rms);
  end
  if info.relative_error > wanted.target_error * (1 + 1e-6)
    warning ('inco:target', 'target_error was missed: %g instead of %g', info.relative_error, wanted.target_error);
  end
end
