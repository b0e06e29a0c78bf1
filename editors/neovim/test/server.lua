-- A server that keeps what it is asked. answer(request) gives a table, or nil for no
-- answer at all.

return function(answer)
  local asked, connections = {}, {}
  local listener = vim.loop.new_tcp()
  assert(listener:bind('127.0.0.1', 0))
  local function reply(c, text)
    local request = { endpoint = text:match('^%u+ (%S+)'), body = vim.json.decode(text:match('\r\n\r\n(.*)$')) }
    request.token = text:match('Authorization: Bearer (%S+)')
    table.insert(asked, request)
    local say = answer(request)
    if say then
      local body = vim.json.encode(say.body)
      c:write(('HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s'):format(say.status or 200, #body, body))
    end
  end
  assert(listener:listen(16, function()
    local c, text = vim.loop.new_tcp(), ''
    listener:accept(c)
    table.insert(connections, c)
    c:read_start(function(_, chunk)
      if not chunk then
        asked.hung_up = (asked.hung_up or 0) + 1
        return c:close()
      end
      text = text .. chunk
      local length = tonumber(text:match('Content%-Length: (%d+)'))
      local head = select(2, text:find('\r\n\r\n', 1, true))
      if length and head and #text == head + length then
        reply(c, text)
      end
    end)
  end))
  local function close()
    for _, c in ipairs(connections) do
      if not c:is_closing() then
        c:close()
      end
    end
    listener:close()
  end
  return ('http://127.0.0.1:%d'):format(listener:getsockname().port), asked, close
end
