-- Requests to the server of a root. `quarry ensure` says where it is, curl asks it. All of
-- it runs alongside the editor: an answer comes to a callback, in the main loop.

local M = {}

-- The server gives a request at most 30 s; this is a little more.
local TIMEOUT_S = 35

-- By root: { url, project }. Of what curl says, these mean that nobody listens there:
-- cannot connect, no answer, broken off.
local known = {}
local gone = { [7] = true, [52] = true, [56] = true }

-- Runs a program; done(code, stdout, stderr) comes once. Returns a function that ends it,
-- after which done does not come.
local function run(cmd, stdin, done)
  local out, err, stopped = {}, {}, false
  local ok, job = pcall(vim.fn.jobstart, cmd, {
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, data)
      out = data
    end,
    on_stderr = function(_, data)
      err = data
    end,
    on_exit = function(_, code)
      if not stopped then
        done(code, table.concat(out, '\n'), vim.trim(table.concat(err, '\n')))
      end
    end,
  })
  if not ok or job <= 0 then
    vim.schedule(function()
      if not stopped then
        done(127, '', cmd[1] .. ' cannot be run')
      end
    end)
    return function()
      stopped = true
    end
  end
  if stdin then
    vim.fn.chansend(job, stdin)
  end
  vim.fn.chanclose(job, 'stdin')
  return function()
    stopped = true
    vim.fn.jobstop(job)
  end
end

local function decode(text)
  local ok, value = pcall(vim.json.decode, text, { luanil = { object = true } })
  return ok and type(value) == 'table' and value or nil
end

-- The header with the token, in a file that is the user's own: a command line can be read
-- by everybody.
local function header(config)
  local f = io.open(config.token_file, 'r')
  if not f then
    return nil, 'token file ' .. config.token_file .. ' cannot be read'
  end
  local token = vim.trim(f:read('*a'))
  f:close()
  local name = vim.fn.tempname()
  vim.fn.writefile({ 'Authorization: Bearer ' .. token }, name)
  return name
end

-- Finds the server of a root, or starts it: done(err, server). Returns a function that ends
-- the search, nil where done has come already.
local function find(config, root, done)
  if config.url ~= '' then
    done(nil, { url = (config.url:gsub('/+$', '')) })
    return nil
  end
  if known[root] then
    done(nil, known[root])
    return nil
  end
  local cmd = { config.path, 'ensure', '--project', root, '--json' }
  if config.token_file ~= '' then
    vim.list_extend(cmd, { '--token-file', config.token_file })
  end
  vim.list_extend(cmd, config.args)
  return run(cmd, nil, function(code, out, err)
    if code == 127 then
      return done(config.path .. ' cannot be run: say in `path` where the program is')
    elseif code ~= 0 then
      return done('quarry ensure: ' .. err)
    end
    local said = decode(out)
    if not said or type(said.url) ~= 'string' then
      return done(config.path .. ' ensure --json printed no address: is it Quarry?')
    end
    known[root] = { url = said.url, project = said.root }
    done(nil, known[root])
  end)
end

local function post(config, server, endpoint, fields, done)
  local cmd = { 'curl', '--silent', '--show-error', '--noproxy', '*', '--max-time', tostring(TIMEOUT_S) }
  -- Without "Expect", which would have a large request wait for a second.
  vim.list_extend(cmd, { '--header', 'Content-Type: application/json', '--header', 'Expect:' })
  local token, err
  if config.token_file ~= '' then
    token, err = header(config)
    if not token then
      done(err)
      return function() end
    end
    vim.list_extend(cmd, { '--header', '@' .. token })
  end
  vim.list_extend(cmd, { '--data-binary', '@-', '--write-out', '\n%{http_code}', server.url .. endpoint })
  local body = vim.json.encode(vim.tbl_extend('keep', fields, { project = server.project }))
  local stop = run(cmd, body, function(code, out, said)
    if token then
      os.remove(token)
    end
    if code == 127 then
      return done('curl cannot be run')
    elseif code ~= 0 then
      return done(server.url .. ' cannot be reached: ' .. said, nil, gone[code])
    end
    local text, status = out:match('^(.*)\n(%d+)$')
    local answer = text and decode(text)
    if not answer then
      done(server.url .. endpoint .. ' is not from a Quarry server')
    elseif status ~= '200' then
      done(answer.message or (endpoint .. ' answered ' .. status), nil, false, tonumber(status))
    else
      done(nil, answer)
    end
  end)
  return function()
    stop()
    if token then
      os.remove(token)
    end
  end
end

--- Asks one endpoint.
---@param config table as in quarry.config
---@param root string absolute, links resolved
---@param endpoint string such as "/search"
---@param fields table of the request
---@param done function(err, answer, status): err is a sentence, status is of HTTP, if there was one
---@return function that ends the request; done does not come then
function M.ask(config, root, endpoint, fields, done)
  local stop
  -- A server that has ended since it was found is looked for once more: all questions
  -- only read, so asking twice does no harm.
  local function attempt(again)
    stop = find(config, root, function(err, server)
      if err then
        return done(err)
      end
      stop = post(config, server, endpoint, fields, function(problem, answer, unreachable, status)
        if unreachable and again and config.url == '' then
          known[root] = nil
          return attempt(false)
        end
        done(problem, answer, status)
      end)
    end) or stop
  end
  attempt(true)
  return function()
    stop()
  end
end

--- Forgets where servers are, after the settings have changed.
function M.forget()
  known = {}
end

return M
