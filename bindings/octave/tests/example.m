% Runs the script for KSVD-Box and looks at what it computed.
run (fullfile (fileparts (mfilename ("fullpath")), "..", "examples", "ksvdbox.m"));
assert (found >= 0.9);
assert (size (err), [1, 40]);
assert (size (gerr), [1, 40]);
assert (err(end) < err(1) && gerr(end) < gerr(1));
assert (issparse (Gamma) && all (size (Gamma) == [50, 2000]));
rmse = sqrt (mean (mean ((params.data - D * Gamma) .^ 2)));
assert (rmse <= 1.05 * err(end));
assert (rmse >= 0.9 * sqrt (17 / 20) * std (noise(:)) * (norm (clean, "fro") / norm (noise, "fro") / 10));
