-- Buffers that are not written, as a request carries them. The server answers as if they
-- were, and forgets them; they never enter its index.

local M = {}

-- What a request may carry: files, and bytes of all of it.
M.max_files = 32
M.max_bytes = 1024 * 1024

--- The path of a file below a root, or nil. The file need not be there yet.
function M.below(root, file)
  local real = vim.loop.fs_realpath(file)
  if not real then
    local dir = vim.loop.fs_realpath(vim.fn.fnamemodify(file, ':h'))
    real = dir and dir .. '/' .. vim.fn.fnamemodify(file, ':t')
  end
  if real and vim.startswith(real, root .. '/') then
    return real:sub(#root + 2)
  end
end

local function content(buf)
  local newline = vim.bo[buf].fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), newline)
  return vim.bo[buf].endofline and text .. newline or text
end

--- The modified buffers of files below a root: a list of { path, content }.
function M.modified(root)
  local files, seen = {}, {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified and vim.bo[buf].buftype == '' then
      local path = M.below(root, vim.api.nvim_buf_get_name(buf))
      -- By links, two buffers may have one file; the server takes it once.
      if path and not seen[path] then
        seen[path] = true
        table.insert(files, { path = path, content = content(buf) })
      end
    end
  end
  return files
end

--- Packs what fits into one request besides its fields. What is too much stays out by size,
--- the largest first. Returns the overlay and the paths that are left out, both by path.
function M.pack(files, fields)
  local sized = {}
  for _, file in ipairs(files) do
    table.insert(sized, { file = file, bytes = #vim.json.encode(file) + 1 })
  end
  table.sort(sized, function(a, b)
    if a.bytes ~= b.bytes then
      return a.bytes < b.bytes
    end
    return a.file.path < b.file.path
  end)
  -- The name of the project is added later; 8 KiB are more than it may have.
  local room = M.max_bytes - #vim.json.encode(fields) - 8192
  local overlay, left_out = {}, {}
  for _, s in ipairs(sized) do
    if #overlay < M.max_files and s.bytes <= room then
      table.insert(overlay, s.file)
      room = room - s.bytes
    else
      table.insert(left_out, s.file.path)
    end
  end
  table.sort(overlay, function(a, b)
    return a.path < b.path
  end)
  table.sort(left_out)
  return overlay, left_out
end

return M
