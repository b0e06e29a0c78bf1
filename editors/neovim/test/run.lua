-- Runs the plugin in an editor without a screen, against a real server:
--
--   nvim --headless --clean -u test/minimal.lua -c "luafile test/run.lua"
--
-- QUARRY_PROGRAM names the program; by default it is bin/quarry of the repository.

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local repository = vim.fn.fnamemodify(here, ':h:h:h')
local program = vim.env.QUARRY_PROGRAM or repository .. '/bin/quarry'
local serve = dofile(here .. '/server.lua')

local home = vim.loop.fs_realpath(vim.fn.fnamemodify(vim.fn.tempname(), ':h')) .. '/home'
local shop, data = home .. '/shop', home .. '/data'
local started = { '--data-dir', data, '--port', '0', '--idle-timeout', '10m' }
local quarry = require('quarry')

local function sh(cmd)
  local out = vim.fn.system(cmd)
  assert(vim.v.shell_error == 0, out)
  return out
end

local function eq(want, got)
  if not vim.deep_equal(want, got) then
    error(('\nwant %s\ngot  %s'):format(vim.inspect(want), vim.inspect(got)), 2)
  end
end

local function matches(pattern, text)
  if not tostring(text):find(pattern) then
    error(('\nwant %s\ngot  %s'):format(pattern, vim.inspect(text)), 2)
  end
end

-- Messages, as the plugin gives them.
local said = {}
vim.notify = function(text)
  table.insert(said, text)
end

-- Runs a command and waits until its question has been answered.
local function ask(command)
  vim.fn.setqflist({}, ' ', { title = 'before', items = {} })
  local before = #said
  vim.cmd(command)
  local done = vim.wait(20000, function()
    return vim.fn.getqflist({ title = 1 }).title ~= 'before' or #said > before
  end, 10)
  assert(done, command .. ': no answer within 20 s')
end

local function quickfix()
  return vim.tbl_map(function(e)
    local name = vim.api.nvim_buf_get_name(e.bufnr)
    return ('%s:%d:%d %s'):format(name:sub(#shop + 2), e.lnum, e.col, e.text)
  end, vim.fn.getqflist())
end

-- Opens a file with the cursor on the first place where a text stands.
local function open(file, text)
  vim.cmd('cclose')
  vim.cmd('edit! ' .. shop .. '/' .. file)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. text, 'c') > 0, text)
end

-- Waits until the server has read all of the shop, and has its call graph.
local function settle()
  local settled = vim.wait(20000, function()
    open('auth/token.go', 'Verify(token') -- an answer of what is there may have opened the list
    ask('QuarryCallers')
    return #quickfix() == 2 and quarry.status() == 'ready'
  end, 100)
  assert(settled, quarry.status() .. vim.inspect(quickfix()))
end

local index = { state = 'ready', generation = 1, progress = 1, vectors = 1, freshness = 'FRESH', pending = 0, root = '/' }
local meta = { v = 1, cmd = 'search', matches = 0, truncated = false }
local nothing = {
  ['/search'] = { results = {}, index = index, meta = meta },
  ['/calls'] = { edges = {}, ambiguous = {}, complete = true, total = 0, truncated = false, index = index, meta = meta },
  ['/impact'] = {
    callers = {}, ambiguous = {}, tests = {}, files = {}, complete = true, total = 0, truncated = false, index = index, meta = meta,
  },
}

local cases = {}
local function case(name, run)
  table.insert(cases, { name = name, run = run })
end

case('starts a server, searches, jumps', function()
  open('orders/cart.py', 'class Cart')
  local found = vim.wait(20000, function()
    ask('QuarrySearch how long to wait before the next attempt')
    return vim.startswith(quickfix()[1] or '', 'client/retry.ts:13:1 ') and quarry.status() == 'ready'
  end, 100)
  assert(found, quarry.status() .. vim.inspect(quickfix()))
  matches('^how long to wait before the next attempt: %d+ ', vim.fn.getqflist({ title = 1 }).title)
  eq('quickfix', vim.bo.buftype)
  vim.cmd('cc 1')
  eq(shop .. '/client/retry.ts', vim.api.nvim_buf_get_name(0))
  eq(13, vim.fn.line('.'))
end)

case('who calls a definition', function()
  settle()
  open('auth/token.go', 'Verify(token')
  ask('QuarryCallers')
  eq('Who calls Signer.Verify: 2 calls.', vim.fn.getqflist({ title = 1 }).title)
  eq({
    'auth/token_test.go:13:19 TestVerifyRefusesExpiredTokens',
    'auth/token_test.go:16:17 TestVerifyRefusesExpiredTokens',
  }, quickfix())
  vim.cmd('cc 2')
  eq({ 16, 17 }, { vim.fn.line('.'), vim.fn.col('.') })
end)

case('on a call it is about what is called', function()
  open('auth/token_test.go', 'Issue(')
  ask('QuarryCallers')
  eq('Who calls Signer.Issue: 1 call.', vim.fn.getqflist({ title = 1 }).title)
end)

case('what breaks', function()
  open('auth/token.go', 'encode(b')
  ask('QuarryImpact')
  eq('What breaks with encode: 3 places depend on it, in 2 files.', vim.fn.getqflist({ title = 1 }).title)
  eq({
    'auth/token.go:29:1 Signer.Issue',
    'auth/token.go:40:1 Signer.Verify',
    'auth/token_test.go:12:1 TestVerifyRefusesExpiredTokens by Signer.Issue',
    'auth/token_test.go:1:1 test to run',
  }, quickfix())
end)

case('the summary of what is called, in a window', function()
  open('auth/token_test.go', 'Issue(')
  vim.cmd('QuarrySummary')
  local text
  assert(vim.wait(20000, function()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), ' ')
        vim.api.nvim_win_close(win, true)
        return true
      end
    end
  end, 10), 'no window')
  matches('Signer%.Issue: returns a token for a customer', text)
end)

case('where there is nothing, the server says so', function()
  open('auth/token.go', 'crypto/hmac')
  ask('QuarryCallers')
  matches('there is no definition at line 5 of auth/token%.go', said[#said])
  eq({}, quickfix())
  vim.cmd('enew')
  ask('QuarryImpact')
  matches('put the cursor on a symbol', said[#said])
end)

case('a server that has ended is started again', function()
  local cmd = vim.list_extend({ program, 'ensure', '--project', shop, '--json' }, started)
  local pid = vim.json.decode(sh(cmd)).pid
  vim.loop.kill(pid, 'sigkill')
  ask('QuarrySearch token')
  assert(vim.json.decode(sh(cmd)).pid ~= pid)
  settle()
end)

case('Telescope gets the places, where it is there', function()
  local made
  package.loaded['telescope'] = {}
  package.loaded['telescope.config'] = { values = { generic_sorter = function() end, qflist_previewer = function() end } }
  package.loaded['telescope.finders'] = { new_table = function(t) return t end }
  package.loaded['telescope.pickers'] = {
    new = function(_, opts)
      return { find = function() made = opts end }
    end,
  }
  open('auth/token.go', 'Verify(token')
  vim.cmd('QuarryCallers')
  assert(vim.wait(20000, function() return made end, 10), 'no picker')
  eq('Who calls Signer.Verify: 2 calls.', made.prompt_title)
  local entry = made.finder.entry_maker(made.finder.results[1])
  eq({ shop .. '/auth/token_test.go', 13, 19 }, { entry.filename, entry.lnum, entry.col })
  eq('auth/token_test.go:13  TestVerifyRefusesExpiredTokens', entry.display)
  quarry.setup({ picker = 'quickfix' })
  ask('QuarryCallers')
  eq(2, #quickfix())
  quarry.setup({ picker = 'auto' })
  for _, name in ipairs({ 'telescope', 'telescope.config', 'telescope.finders', 'telescope.pickers' }) do
    package.loaded[name] = nil
  end
end)

case('buffers that are not written go with each question that takes them', function()
  local url, asked, close = serve(function(request)
    return { body = nothing[request.endpoint] or { summary = 'x', index = index } }
  end)
  quarry.setup({ url = url .. '/' })
  open('auth/token.go', 'Verify(token')
  vim.fn.append(0, '// not "written" ä')
  vim.cmd('split ' .. shop .. '/orders/cart.py')
  vim.cmd('new ' .. shop .. '/orders/new.py')
  vim.fn.setline(1, 'def new(): pass')
  vim.cmd('new ' .. home .. '/outside.py')
  vim.fn.setline(1, 'x = 1')
  for _, command in ipairs({ 'QuarrySearch a "b"', 'QuarrySearch token' }) do
    ask(command)
  end
  local first = asked[1].body
  eq('a "b"', first.query)
  eq({ 'auth/token.go', 'orders/new.py' }, vim.tbl_map(function(f) return f.path end, first.overlay))
  matches('^// not "written" ä\n// Package auth .*\n$', first.overlay[1].content)
  eq('def new(): pass\n', first.overlay[2].content)

  -- The window of auth/token.go; its cursor went down with its line.
  vim.cmd('only | buffer ' .. shop .. '/auth/token.go')
  vim.fn.search('Verify(token', 'w')
  asked[1], asked[2] = nil, nil
  vim.cmd('QuarryImpact')
  assert(vim.wait(5000, function() return #asked == 2 end, 10))
  eq({ '/calls', '/impact' }, { asked[1].endpoint, asked[2].endpoint })
  eq('auth/token.go:35', asked[2].body.target)
  eq(2, #asked[2].body.overlay)
  quarry.setup({ overlay = false })
  ask('QuarrySearch token')
  eq(nil, asked[3].body.overlay)
  quarry.setup({ overlay = true, url = '' })
  close()
  vim.cmd('silent! %bwipeout!')
  eq(0, vim.fn.filereadable(shop .. '/orders/new.py'))
end)

case('an answer is of what is on the screen', function()
  open('auth/token.go', 'encode(b')
  vim.fn.append(vim.fn.line('$'), 'func unwritten() string { return encode(nil) }')
  ask('QuarryCallers')
  assert(vim.tbl_contains(quickfix(), 'auth/token.go:58:34 unwritten'), vim.inspect(quickfix()))
  open('auth/token.go', 'encode(b') -- as it is written
  ask('QuarryCallers')
  eq({ 'Signer.Issue', 'Signer.Issue', 'Signer.Verify' }, vim.tbl_map(function(e) return e.text end, vim.fn.getqflist()))
end)

case('what is too much to send is named', function()
  local overlay = require('quarry.overlay')
  local files = {}
  for i = 1, overlay.max_files + 2 do
    table.insert(files, { path = ('f%02d'):format(i), content = ('x'):rep(100 - i) })
  end
  local packed, left_out = overlay.pack(files, {})
  eq(overlay.max_files, #packed)
  eq({ 'f01', 'f02' }, left_out)

  local url, asked, close = serve(function(request) return { body = nothing[request.endpoint] } end)
  quarry.setup({ url = url })
  open('auth/token.go', 'Verify(token')
  vim.fn.setline(1, ('x'):rep(2 * overlay.max_bytes))
  ask('QuarrySearch token')
  eq(nil, asked[1].body.overlay)
  matches('too much to send, as saved: auth/token%.go', said[#said])
  quarry.setup({ url = '' })
  close()
  vim.cmd('silent! %bwipeout!')
end)

case('a new question ends the one before', function()
  local url, asked, close = serve(function(request)
    return request.body.query ~= 'first' and { body = nothing[request.endpoint] } or nil
  end)
  quarry.setup({ url = url })
  open('auth/token.go', 'Verify(token')
  vim.cmd('QuarrySearch first')
  assert(vim.wait(5000, function() return #asked == 1 end, 10))
  ask('QuarrySearch second')
  assert(vim.wait(5000, function() return asked.hung_up end, 10), 'still connected')
  eq('second: Nothing found.', vim.fn.getqflist({ title = 1 }).title)
  quarry.setup({ url = '' })
  close()
end)

case('a token goes as a header; what goes wrong is said', function()
  local url, asked, close = serve(function(request)
    if request.token == 'good-enough-token' then
      return { body = nothing[request.endpoint] }
    end
    return { status = 401, body = { error = 'unauthorized', message = 'the token is wrong' } }
  end)
  local file = home .. '/token'
  vim.fn.writefile({ 'good-enough-token' }, file)
  quarry.setup({ url = url, token_file = file })
  ask('QuarrySearch token')
  eq('good-enough-token', asked[1].token)
  vim.fn.writefile({ 'another' }, file)
  ask('QuarrySearch token')
  eq('Quarry: the token is wrong', said[#said])
  quarry.setup({ token_file = home .. '/absent' })
  ask('QuarrySearch token')
  matches('token file .*/absent cannot be read', said[#said])
  close()
  quarry.setup({ url = url, token_file = '' })
  ask('QuarrySearch token')
  matches('cannot be reached', said[#said])
  quarry.setup({ url = '', path = home .. '/absent' })
  ask('QuarrySearch token')
  matches('absent cannot be run: say in `path`', said[#said])
end)

case('an index that is not ready is said to be so', function()
  local results = require('quarry.results')
  local function notes(changes)
    local answer = { results = {}, index = vim.tbl_extend('force', index, changes), meta = meta }
    return select(2, results.search('/r', answer))
  end
  eq({ 'Nothing found.' }, notes({}))
  eq('Still indexing, 41 %: this is of what is there.', notes({ state = 'indexing', progress = 0.419 })[2])
  eq('2 changed files are not in the index yet.', notes({ state = 'stale', freshness = 'STALE', pending = 2 })[2])
  local overlay = { files = 1, graph_behind = true, left_out = { { path = '.env', reason = 'secret' } } }
  local said_so = select(2, results.search('/r', { results = {}, index = index, meta = vim.tbl_extend('force', meta, { overlay = overlay }) }))
  matches('^The call graph does not have', said_so[2])
  eq('.env is not written, and never in the index (secret).', said_so[3])
  local answer = vim.tbl_extend('force', nothing['/calls'], { complete = false, incomplete = { 'reflection' }, truncated = true, total = 9 })
  eq({ 'Nothing that is known calls it.', 'There are 9 in all; the rest is left out.', 'Perhaps not all: reflection.' },
    select(2, results.callers('/r', answer)))
end)

local failed = 0
local function main()
  assert(vim.fn.executable(program) == 1, program .. ' is not there: make build')
  vim.fn.mkdir(home, 'p')
  sh({ 'cp', '-r', repository .. '/docs/example', shop })
  vim.cmd('cd ' .. shop)
  quarry.setup({ path = program, args = started })
  for _, c in ipairs(cases) do
    local ok, err = xpcall(c.run, debug.traceback) -- err of a case that is skipped: why
    failed = failed + (ok and 0 or 1)
    io.stdout:write(('%s %s%s\n'):format(
      not ok and 'FAILED' or err and 'skip  ' or 'ok    ', c.name, err and (ok and ': ' or '\n') .. err or ''))
  end
  vim.fn.system({ program, 'serve', 'stop', '--all', '--data-dir', data })
end

local ok, err = pcall(main)
if not ok then
  io.stdout:write(err .. '\n')
end
io.stdout:write(('%d of %d failed\n'):format(failed, #cases))
vim.cmd(ok and failed == 0 and 'qall!' or 'cquit!')
