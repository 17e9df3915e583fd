function answer = inco_guarded (callback, progress)
% Calls a function of the user. Returns whether it returned true, or what it raised, as a struct for rethrow.
  try
    answer = callback (progress);
    answer = islogical (answer) && isscalar (answer) && answer;
  catch raised
    answer = struct ('message', raised.message, 'identifier', raised.identifier, 'stack', raised.stack);
  end
end
