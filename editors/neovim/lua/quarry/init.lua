-- Quarry in Neovim: questions about the code that is open. |quarry.txt| describes them.

local client = require('quarry.client')
local overlay = require('quarry.overlay')
local picker = require('quarry.picker')
local results = require('quarry.results')

local M = {}

M.config = {
  path = 'quarry', -- the program
  args = {}, -- more arguments of `quarry ensure`
  url = '', -- of a server that runs already; '': `quarry ensure` finds or starts one
  token_file = '',
  limit = 20, -- results of a search
  depth = 3, -- steps of calls that :QuarryImpact follows
  picker = 'auto', -- Telescope if it is there; or 'quickfix'
  overlay = true, -- send buffers that are not written
}

-- The question that is being asked, and what the index last said of itself.
local asking, state

--- Changes settings.
function M.setup(opts)
  M.config = vim.tbl_extend('force', M.config, opts or {})
  client.forget()
end

--- What the index last said of itself, for a status line: "ready", "indexing 40 %",
--- "stale", "error", or "" before the first question.
function M.status()
  if not state then
    return ''
  elseif state.state == 'indexing' then
    return ('indexing %d %%'):format(math.floor(state.progress * 100))
  elseif state.state == 'ready' and state.freshness == 'STALE' then
    return 'stale'
  end
  return state.state
end

-- The root that a question is about: the work tree around the file, else around the
-- working folder, else that folder.
local function root_of(file)
  local start = file ~= '' and vim.fn.fnamemodify(file, ':h') or vim.fn.getcwd()
  for _, from in ipairs({ start, vim.fn.getcwd() }) do
    local dir = vim.loop.fs_realpath(from)
    while dir do
      if vim.loop.fs_stat(dir .. '/.git') then
        return dir
      end
      local up = vim.fn.fnamemodify(dir, ':h')
      dir = up ~= dir and up or nil
    end
  end
  return vim.loop.fs_realpath(vim.fn.getcwd())
end

--- Ends the question that is being asked, if there is one.
function M.cancel()
  if asking then
    if asking.stop then
      asking.stop()
    end
    asking = nil
  end
end

local overlaid = { ['/search'] = true, ['/context'] = true, ['/calls'] = true, ['/impact'] = true }

-- Asks within a question. Gives the answer, or nil and the status for one that is not
-- there; any other failure ends the question.
local function ask(q, endpoint, fields)
  if overlaid[endpoint] and M.config.overlay then
    local files
    files, q.unsent = overlay.pack(overlay.modified(q.root), fields)
    if #files > 0 then
      fields = vim.tbl_extend('keep', { overlay = files }, fields)
    end
  end
  local reply, waiting
  q.stop = client.ask(M.config, q.root, endpoint, fields, function(err, answer, status)
    reply = { err = err, answer = answer, status = status }
    if waiting then
      q.resume()
    end
  end)
  if not reply then
    waiting = true
    coroutine.yield()
  end
  local err, answer, status = reply.err, reply.answer, reply.status
  if err and status ~= 404 and status ~= 422 then
    error({ sentence = err })
  end
  if answer then
    state = answer.index
  end
  return answer, err
end

local function say(text, level)
  vim.notify('Quarry: ' .. text, level or vim.log.levels.INFO)
end

-- Runs a question as a coroutine; the one before it, if it still runs, is called off.
local function question(work)
  M.cancel()
  local file = vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) or ''
  local q = { root = root_of(file), file = file, unsent = {} }
  asking = q
  local thread = coroutine.create(work)
  function q.resume()
    local ok, err = coroutine.resume(thread, q)
    if coroutine.status(thread) ~= 'dead' then
      return
    end
    if asking == q then
      asking = nil
    end
    if not ok then
      say(type(err) == 'table' and err.sentence or tostring(err), vim.log.levels.ERROR)
    end
  end
  q.resume()
end

-- What the cursor is on: path below the root, line, and the word with the byte that it
-- begins at.
local function cursor(q)
  local path = q.file ~= '' and overlay.below(q.root, q.file)
  if not path then
    error({ sentence = 'put the cursor on a symbol of a file below ' .. q.root .. ' first' })
  end
  local line, at = unpack(vim.api.nvim_win_get_cursor(0))
  local text = vim.api.nvim_get_current_line()
  local first, last = 1, 0
  while true do
    first, last = text:find('[%w_\128-\255]+', last + 1)
    if not first or first > at + 1 then
      return { path = path, line = line }
    elseif last >= at + 1 then
      return { path = path, line = line, column = first, word = text:sub(first, last) }
    end
  end
end

-- The target of a question. On a call that is what is called, by its name, since lines of
-- a buffer that is not written are others than in the index; elsewhere the definition
-- around the cursor.
local function target(q)
  local c = cursor(q)
  local here = ('%s:%d'):format(c.path, c.line)
  if c.word then
    local answer = ask(q, '/calls', { target = here, direction = 'callees', limit = 1000 })
    for _, e in ipairs(answer and answer.edges or {}) do
      if e.from.file == c.path and e.line == c.line and e.column == c.column and e.to.file and e.to.symbol ~= '' then
        return e.to.file .. ':' .. e.to.symbol, e.to.symbol
      end
    end
  end
  return here, c.word or here
end

local function show(q, title, items, notes)
  if #q.unsent > 0 then
    table.insert(notes, ('Not written and too much to send, as saved: %s.'):format(table.concat(q.unsent, ', ')))
  end
  local text = table.concat(notes, ' ')
  picker.show(('%s: %s'):format(title, text), items, M.config.picker)
  -- The title of a picker is short of room; a list that is not all there is said to be so.
  if #notes > 1 or #items == 0 then
    say(text, #notes > 1 and vim.log.levels.WARN or nil)
  end
end

local function need(answer, err)
  return answer or error({ sentence = err })
end

--- Finds code: |:QuarrySearch|.
function M.search(words)
  question(function(q)
    local answer = need(ask(q, '/search', { query = words, limit = M.config.limit, shape = 'quarry' }))
    show(q, words, results.search(q.root, answer))
  end)
end

--- Lists calls of what the cursor is on: |:QuarryCallers|.
function M.callers()
  question(function(q)
    local of, name = target(q)
    local answer = need(ask(q, '/calls', { target = of, direction = 'callers' }))
    show(q, 'Who calls ' .. (answer.definition and answer.definition.symbol or name), results.callers(q.root, answer))
  end)
end

--- Lists what depends on what the cursor is on: |:QuarryImpact|.
function M.impact()
  question(function(q)
    local of, name = target(q)
    local answer = need(ask(q, '/impact', { target = of, depth = M.config.depth }))
    show(q, 'What breaks with ' .. (answer.definition and answer.definition.symbol or name), results.impact(q.root, answer))
  end)
end

--- Shows what the symbol at the cursor does: |:QuarrySummary|.
function M.summary()
  question(function(q)
    local answer = need(ask(q, '/summarize', { symbol = (target(q)), level = 'L2' }))
    if answer.summary == '' then
      return say('there is nothing to say about it')
    end
    local lines = vim.split((answer.summary:gsub('^%- ', '')), '\n')
    local _, win = vim.lsp.util.open_floating_preview(lines, '', {
      border = 'single', focus_id = 'quarry', max_width = 80, wrap = true,
    })
    vim.wo[win].linebreak = true
  end)
end

return M
