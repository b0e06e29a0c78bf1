-- The settings of an editor that has nothing but this plugin.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
vim.opt.runtimepath:prepend(here)
vim.opt.swapfile = false
vim.opt.shadafile = 'NONE'
