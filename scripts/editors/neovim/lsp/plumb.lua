-- The language server of plumb, for vim.lsp.enable('plumb') (Neovim 0.11); older ones give this table to vim.lsp.start.
local function spec(command)
  return vim.uri_to_fname(command.arguments[1])
end

return {
  cmd = { 'plumb', 'lsp' },
  filetypes = { 'plumb' },
  root_markers = { '.git' },
  init_options = { commands = { 'plumb.run', 'plumb.render' } },
  -- The links above main: vim.lsp.codelens.run().
  commands = {
    ['plumb.run'] = function(command)
      vim.cmd('botright new')
      vim.fn.termopen({ 'plumb', '-R', spec(command) })
      vim.cmd('startinsert')
    end,
    ['plumb.render'] = function(command)
      local drawing = vim.fn.tempname() .. '.svg'
      local said = vim.fn.system({ 'plumb', 'render', '-o', drawing, spec(command) })
      if vim.v.shell_error ~= 0 then
        vim.notify(said, vim.log.levels.ERROR)
      elseif vim.ui.open then
        vim.ui.open(drawing)
      else
        vim.notify(drawing)
      end
    end,
  },
}
