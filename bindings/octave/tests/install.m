% Installs the package INCO_OCTAVE_PACKAGE in a folder of its own, as a user does, and tests what is installed.
prefix = tempname ();
mkdir (prefix);
cleanup = onCleanup (@() confirm_recursive_rmdir (false) + rmdir (prefix, "s"));
pkg ("prefix", prefix, prefix);
pkg ("local_list", fullfile (prefix, "packages"));
pkg ("install", "-local", getenv ("INCO_OCTAVE_PACKAGE"));
assert (isempty (which ("inco_learn")));
pkg ("load", "inco");
assert (strncmp (which ("inco_learn"), prefix, length (prefix)));
for name = {"inco_learn", "inco_encode", "inco_decode", "inco_inspect", "inco_compare", "inco_decohere", "inco_frame", "inco_options"}
  [text, format] = get_help_text (name{1});
  assert (format, "texinfo");
  [text, status] = __makeinfo__ (text, "plain text");
  assert (status == 0 && ! isempty (strfind (text, name{1})));
  assert (! isempty (get_first_help_sentence (name{1})));
end
description = evalc ("pkg describe inco");
assert (! isempty (strfind (description, "sparse coding")));
run (fullfile (fileparts (mfilename ("fullpath")), "run.m"));
pkg ("unload", "inco");
pkg ("uninstall", "-local", "inco");
assert (isempty (which ("inco_learn")));
