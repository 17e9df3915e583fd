function X = inco_full (X)
% Numbers of other classes as double; whatever else is no matrix of floats is left to the library to refuse.
  if islogical (X) || isinteger (X)
    X = double (X);
  end
end
