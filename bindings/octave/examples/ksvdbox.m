% A script for KSVD-Box, with inco_learn in place of ksvd; this is the one word that changed:
%
%     [D, Gamma, err, gerr] = ksvd (params, '');
%
% It learns a dictionary from sparse combinations of known atoms with noise, and counts the atoms that were found.

% Signals: combinations of 3 of 50 atoms of dimension 20, with a signal-to-noise ratio of 20 dB.
randn ('state', 1);
rand ('state', 1);
truth = randn (20, 50);
truth = truth ./ repmat (sqrt (sum (truth .^ 2)), 20, 1);
codes = zeros (50, 3000);
for n = 1:size (codes, 2)
  support = randperm (50);
  codes(support(1:3), n) = randn (3, 1);
end
clean = truth * codes;
noise = randn (size (clean));
signals = clean + noise * (norm (clean, 'fro') / norm (noise, 'fro') / 10);

% Parameters, as for KSVD-Box.
params.data = signals(:, 1:2000);
params.Tdata = 3;
params.dictsize = 50;
params.iternum = 40;
params.memusage = 'high';
params.muthresh = 0.97;
params.testdata = signals(:, 2001:3000);

[D, Gamma, err, gerr] = inco_learn (params, '');

% What came out.
similarity = max (abs (D' * truth));
found = mean (similarity > 0.99);
fprintf ('RMSE %.4f, of other signals %.4f; %.0f %% of the atoms were found\n', err(end), gerr(end), 100 * found);
if exist ('show', 'var') && show
  plot (1:params.iternum, err, 1:params.iternum, gerr);
  xlabel ('iteration');
  ylabel ('RMSE');
  legend ('training', 'test');
end
