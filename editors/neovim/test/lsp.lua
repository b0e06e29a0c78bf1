-- Runs `quarry lsp` in an editor without a screen, as a server of the editor's own client:
--
--   nvim --headless --clean -c "luafile test/lsp.lua"
--
-- QUARRY_PROGRAM names the program; by default it is bin/quarry of the repository.

local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local program = vim.env.QUARRY_PROGRAM or vim.fn.fnamemodify(here, ':h:h:h') .. '/bin/quarry'
local home = vim.loop.fs_realpath(vim.fn.fnamemodify(vim.fn.tempname(), ':h')) .. '/home'
local shop, data = home .. '/shop', home .. '/data'

local function write(name, text)
  vim.fn.mkdir(vim.fn.fnamemodify(shop .. '/' .. name, ':h'), 'p')
  vim.fn.writefile(vim.split(text, '\n'), shop .. '/' .. name)
end

local function eq(want, got)
  if not vim.deep_equal(want, got) then
    error(('\nwant %s\ngot  %s'):format(vim.inspect(want), vim.inspect(got)), 2)
  end
end

local function run()
  write('go.mod', 'module shop')
  write('cart/cart.go', 'package cart\n\n// Total sums 😀 up.\nfunc Total(lines []int) int {\n\treturn add(lines)\n}\n\nfunc add(lines []int) int { return len(lines) }')
  write('main.go', 'package main\n\nimport "shop/cart"\n\nfunc main() { /* 😀 */ cart.Total(nil) }')
  vim.cmd('edit ' .. shop .. '/main.go')
  local id = vim.lsp.start_client({ name = 'quarry', cmd = { program, 'lsp', '--data-dir', data, '--port', '0', '--idle-timeout', '1m' }, root_dir = shop, flags = { debounce_text_changes = 0 } })
  assert(id, 'the server does not start')
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  assert(vim.wait(60000, function() return client.initialized end, 10), 'the server is not initialized')

  local function ask(method, params)
    local answer = client.request_sync(method, params, 60000, 0)
    assert(answer, method .. ': no answer')
    assert(not answer.err, method .. ': ' .. vim.inspect(answer.err))
    return answer.result
  end
  local function at(text)
    local line = vim.fn.search('\\V' .. text, 'w')
    assert(line > 0, text)
    return vim.lsp.util.make_position_params(0, client.offset_encoding)
  end
  local function places(list)
    return vim.tbl_map(function(l)
      return ('%s:%d:%d'):format(vim.uri_to_fname(l.uri):sub(#shop + 2), l.range.start.line + 1, l.range.start.character + 1)
    end, list)
  end

  -- The first answers may come before the call graph.
  local where
  vim.wait(60000, function()
    where = places(ask('textDocument/definition', at('Total')))
    return #where > 0
  end, 50)
  eq({ 'cart/cart.go:4:6' }, where)
  local references = at('Total')
  references.context = { includeDeclaration = true }
  eq({ 'cart/cart.go:4:6', 'main.go:5:29' }, places(ask('textDocument/references', references)))
  local hover = ask('textDocument/hover', at('Total'))
  assert(hover.contents.value:find('Total sums 😀 up', 1, true), vim.inspect(hover))
  assert(hover.contents.value:find('1 caller, 0 tests', 1, true), vim.inspect(hover))
  local item = ask('textDocument/prepareCallHierarchy', at('Total'))[1]
  eq('main', ask('callHierarchy/incomingCalls', { item = item })[1].from.name)
  eq('add', ask('callHierarchy/outgoingCalls', { item = item })[1].to.name)

  -- A buffer that is not saved counts.
  vim.api.nvim_buf_set_lines(0, 4, 5, true, { 'func main() { other() }', '', 'func other() { cart.Total(nil) }' })
  vim.wait(500, function() return false end) -- older editors send changes a little later
  eq({ 'main.go:7:6' }, places(ask('textDocument/definition', at('other'))))
  eq('other', ask('callHierarchy/incomingCalls', { item = item })[1].from.name)
  vim.lsp.stop_client(id)
  assert(vim.wait(10000, function() return client.is_stopped() end, 10), 'the client does not stop')
end

local ok, why = pcall(run)
vim.fn.system({ program, 'stop', '--data-dir', data, shop })
io.stdout:write(ok and 'ok quarry lsp\n' or ('FAIL ' .. tostring(why) .. '\n'))
vim.cmd(ok and 'qall!' or 'cquit!')
