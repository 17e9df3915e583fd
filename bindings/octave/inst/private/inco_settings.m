function settings = inco_settings (list)
% Options as a struct, from a struct, from pairs of names and values, or from both: max-coherence is max_coherence.
  settings = struct ();
  if ~isempty (list) && isstruct (list{1})
    settings = list{1};
    list = list(2:end);
  end
  if mod (numel (list), 2) ~= 0 || ~iscellstr (list(1:2:end))
    error ('inco:invalid', 'options must be a struct or pairs of names and values');
  end
  for i = 1:2:numel (list)
    name = strrep (list{i}, '-', '_');
    if ~isvarname (name)
      error ('inco:invalid', 'there is no option ''%s'' here; inco_options lists the options of each function', list{i});
    end
    settings.(name) = list{i + 1};
  end
end
