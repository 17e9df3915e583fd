% Files exchanged with Octave: it reads what inco writes, and inco reads what it writes.
% The program in INCO_TOOL_CONVERT reads a file and writes it as another.

folder = tempname ();
mkdir (folder);
tool = getenv ("INCO_TOOL_CONVERT");
in = @(name) fullfile (folder, name);
convert = @(varargin) assert (system (strjoin ([{tool}, varargin], " ")), 0);

% Matrices: a signal per column, on both sides. Every class and every version that Octave writes.
D = reshape (1:35, 5, 7) / 8 + 1 / 3;
for version = {"-v6", "-v7"}
  for class = {"double", "single", "int8", "uint8", "int16", "int32", "uint32", "logical"}
    X = feval (class{1}, D);
    save (version{1}, in ("x.mat"), "X");
    convert ("matrix", in ("x.mat"), in ("y.mat"), "meta='{\"a\": 1}'");
    y = load (in ("y.mat"));
    assert (double (y.components), double (X));
    assert (y.meta, "{\"a\": 1}");
  end
end

% Of several variables the one that is asked for.
A = D + 1;
save ("-v7", in ("two.mat"), "D", "A");
convert ("matrix", in ("two.mat"), in ("y.mat"), "variable=A");
y = load (in ("y.mat"));
assert (y.components, A);

% Codes: a sparse matrix, atoms x signals.
C = sprand (11, 20, 0.2);
C(3, :) = 0;
C(:, 7) = 0;
for version = {"-v6", "-v7"}
  save (version{1}, in ("c.mat"), "C");
  convert ("codes", in ("c.mat"), in ("d.mat"));
  d = load (in ("d.mat"));
  assert (issparse (d.codes));
  assert (d.codes, C);
end
C = sparse (4, 3);
save ("-v7", in ("c.mat"), "C");
convert ("codes", in ("c.mat"), in ("d.mat"));
d = load (in ("d.mat"));
assert (d.codes, C);

% Octave's own text format is refused with what to do instead.
save ("-text", in ("t.mat"), "D");
[status, text] = system (strjoin ({tool, "matrix", in("t.mat"), in("y.mat"), "2>&1"}, " "));
assert (status, 1);
assert (! isempty (strfind (text, "save -v7")));

confirm_recursive_rmdir (false);
rmdir (folder, "s");
printf ("files: done\n");
