-- Answers of the server as lists of places, with sentences on what they are and are not.

local M = {}

local function count(n, one, many)
  return ('%d %s'):format(n, n == 1 and one or many)
end

local function item(root, file, line, column, text)
  return { filename = root .. '/' .. file, short = file, lnum = line, col = column or 1, text = text }
end

local function changed(place)
  return place.changed and ' (changed since)' or ''
end

-- What the index says of itself, when that is not simply "ready".
local function states(notes, answer)
  local index = answer.index
  if index.state == 'indexing' then
    table.insert(notes, ('Still indexing, %d %%: this is of what is there.'):format(math.floor(index.progress * 100)))
  elseif index.state == 'error' then
    table.insert(notes, 'The last update of the index failed: this is of what was there before.')
  elseif index.state == 'stale' or index.freshness == 'STALE' then
    table.insert(notes, index.pending > 0
      and count(index.pending, 'changed file is', 'changed files are') .. ' not in the index yet.'
      or 'Changes are not in the index yet.')
  end
  local overlay = answer.meta.overlay or {}
  if overlay.graph_behind then
    table.insert(notes, 'The call graph does not have the buffers that are not written yet: ask again.')
  end
  for _, file in ipairs(overlay.left_out or {}) do
    table.insert(notes, ('%s is not written, and never in the index (%s).'):format(file.path, file.reason))
  end
  return notes
end

-- What an answer of the call graph leaves out or does not know.
local function bounds(notes, answer)
  if answer.truncated then
    table.insert(notes, ('There are %d in all; the rest is left out.'):format(answer.total))
  end
  if not answer.complete then
    local why = table.concat(answer.incomplete or { 'some calls are not resolved' }, '; ')
    table.insert(notes, ('Perhaps not all: %s.'):format(why))
  end
  if answer.alternatives then
    table.insert(notes, ('The name has %s.'):format(count(#answer.alternatives, 'other meaning', 'other meanings')))
  end
  if answer.across then
    table.insert(notes, 'Other projects of the server are not shown.')
  end
  return states(notes, answer)
end

--- Items and notes of an answer of /search.
function M.search(root, answer)
  local items = {}
  for _, r in ipairs(answer.results) do
    table.insert(items, item(root, r.file, r.line, 1, vim.trim(r.signature) .. changed(r)))
  end
  local note
  if #items == 0 then
    note = 'Nothing found.'
  elseif answer.meta.truncated then
    note = ('%d of %d, the best first.'):format(#items, answer.meta.matches)
  else
    note = count(#items, 'result.', 'results.')
  end
  return items, states({ note }, answer)
end

--- Items and notes of an answer of /calls, of the callers.
function M.callers(root, answer)
  local items = {}
  local function add(edges, prefix)
    for _, e in ipairs(edges) do
      local who = e.from.symbol ~= '' and e.from.symbol or '(top level)'
      table.insert(items, item(root, e.from.file, e.line, e.column, prefix .. who .. changed(e.from)))
    end
  end
  add(answer.edges, '')
  add(answer.ambiguous, 'perhaps ')
  local note = #items == 0 and 'Nothing that is known calls it.' or count(#answer.edges, 'call.', 'calls.')
  return items, bounds({ note }, answer)
end

--- Items and notes of an answer of /impact: what depends on it, nearest first, then the
--- tests to run.
function M.impact(root, answer)
  local items = {}
  local function add(callers, prefix)
    for _, c in ipairs(callers) do
      local who = c.symbol ~= '' and c.symbol or '(top level)'
      local via = c.depth > 1 and (' by %s'):format(c.via.symbol ~= '' and c.via.symbol or c.via.file) or ''
      table.insert(items, item(root, c.file, c.call_sites[1] or c.line, 1, prefix .. who .. via .. changed(c)))
    end
  end
  add(answer.callers, '')
  add(answer.ambiguous, 'perhaps ')
  for _, file in ipairs(answer.tests) do
    table.insert(items, item(root, file, 1, 1, 'test to run'))
  end
  local note = answer.total == 0 and 'Nothing that is known depends on it.'
    or ('%s on it, in %s.'):format(
      count(answer.total, 'place depends', 'places depend'), count(#answer.files, 'file', 'files'))
  return items, bounds({ note }, answer)
end

return M
