-- The commands. What they do is loaded when the first of them is used.

if vim.g.loaded_quarry then
  return
end
vim.g.loaded_quarry = true

local function command(name, run, opts)
  vim.api.nvim_create_user_command(name, run, opts)
end

command('QuarrySearch', function(args)
  require('quarry').search(args.args)
end, { nargs = '+', desc = 'Find code by what it does, by its words, by its names' })

command('QuarryCallers', function()
  require('quarry').callers()
end, { desc = 'List the calls of what the cursor is on' })

command('QuarryImpact', function()
  require('quarry').impact()
end, { desc = 'List what depends on what the cursor is on, and the tests to run' })

command('QuarrySummary', function()
  require('quarry').summary()
end, { desc = 'Show what the symbol at the cursor does' })
