-- Shows places: in Telescope where it is installed, else in the quickfix list.

local M = {}

local function telescope(title, items)
  local conf = require('telescope.config').values
  require('telescope.pickers').new({}, {
    prompt_title = title,
    finder = require('telescope.finders').new_table({
      results = items,
      entry_maker = function(item)
        local place = ('%s:%d'):format(item.short, item.lnum)
        return {
          value = item,
          display = place .. '  ' .. item.text,
          ordinal = place .. ' ' .. item.text,
          filename = item.filename,
          lnum = item.lnum,
          col = item.col,
        }
      end,
    }),
    sorter = conf.generic_sorter({}),
    previewer = conf.qflist_previewer({}),
  }):find()
end

local function quickfix(title, items)
  local entries = vim.tbl_map(function(item)
    return { filename = item.filename, lnum = item.lnum, col = item.col, text = item.text }
  end, items)
  vim.fn.setqflist({}, ' ', { title = title, items = entries })
  if #items > 0 then
    vim.cmd('botright copen')
  end
end

--- Shows a list. An empty one replaces what the quickfix list had, which would look like
--- the answer.
---@param title string
---@param items table[] of { filename, short, lnum, col, text }: short is the path below the root
---@param choice string "auto" or "quickfix"
function M.show(title, items, choice)
  if #items > 0 and choice ~= 'quickfix' and pcall(require, 'telescope') then
    telescope(title, items)
  else
    quickfix(title, items)
  end
end

return M
