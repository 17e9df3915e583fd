% -*- texinfo -*-
% @deftypefn  {} {} inco_options (@var{command})
% @deftypefnx {} {@var{table} =} inco_options (@var{command})
% List the options of a function: @var{command} is "learn", "encode", "inspect", "compare", "decohere" or "frame".
%
% With an output, return them as a struct array with the fields @code{name}, @code{type}, @code{default}, @code{low},
% @code{high}, @code{choices}, @code{group} and @code{help}. All of it comes from the table of the library.
% @seealso{inco_learn}
% @end deftypefn
function table = inco_options (command)
  if nargin < 1
    command = 'learn';
  end
  rows = inco_mex ('options', command);
  if nargout > 0
    table = rows;
    return;
  end
  group = '';
  for i = 1:numel (rows)
    if ~strcmp (rows(i).group, group)
      group = rows(i).group;
      fprintf ('\n%s\n', group);
    end
    describe (rows(i));
  end
end

function describe (row)
  values = row.type;
  if ~isempty (row.choices)
    values = row.choices;
  end
  text = sprintf ('%s', row.help);
  if ~isempty (row.default)
    text = sprintf ('%s (default %s)', text, row.default);
  end
  fprintf ('  %s: %s\n', row.name, values);
  words = strsplit (text, ' ');
  line = '     ';
  for i = 1:numel (words)
    if length (line) + length (words{i}) > 78
      fprintf ('%s\n', line);
      line = '     ';
    end
    line = [line, ' ', words{i}];
  end
  fprintf ('%s\n', line);
end

%!test
%! table = inco_options ('learn');
%! row = table(strcmp ({table.name}, 'max_coherence'));
%! assert (row.type, 'real');
%! assert ([row.low, row.high], [0, 1]);
%! assert (any (strcmp (strsplit (table(strcmp ({table.name}, 'method')).choices, '|'), 'ksvd')));
%! assert (! any (strcmp ({table.name}, 'starts')));
%! assert (any (strcmp ({inco_options('frame').name}, 'starts')));

%!test <*every option that the library takes here can be set to its default>
%! X = cos ((1:16)' * (1:60) .^ 1.5);
%! for row = inco_options ('encode')'
%!   if ! isempty (row.default)
%!     assert (size (inco_encode (X, X, 'coder', 'omp', 'sparsity', 2, row.name, row.default)), [60, 60]);
%!   end
%! end

%!test
%! text = evalc ("inco_options ('encode')");
%! assert (! isempty (strfind (text, 'residual_coherence: real')));
%!error <learn, encode> inco_options ('paint')
