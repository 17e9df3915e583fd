function [value, settings] = inco_take (settings, name, missing)
% Removes a field from a struct and returns its value; without the field, `missing`.
  value = missing;
  if isfield (settings, name)
    value = settings.(name);
    settings = rmfield (settings, name);
  end
end
