% Runs the %!test blocks of every function of the package, which must be on the path: octave run.m
% Fails if a test fails, or if a function has none.
folder = fileparts (which ("inco_learn"));
files = glob (fullfile (folder, "*.m"));
assert (numel (files) >= 7);
log = tempname ();
failed = 0;
for i = 1:numel (files)
  [passed, count] = test (files{i}, "quiet", log);
  [~, name] = fileparts (files{i});
  printf ("%s: %d of %d passed\n", name, passed, count);
  if passed < count || count == 0
    failed++;
    puts (regexprep (fileread (log), 'shared variables.*?(\*\*\*\*\*|$)', '$1'));
  end
end
delete (log);
assert (failed, 0);
