-- Starts `kukla lsp` for Puppet code, templates and data in Neovim 0.7 to 0.10. Neovim 0.11 has `vim.lsp.config`; see docs/manual/lsp.md.
--
--   require('kukla').setup({ cmd = { 'kukla', 'lsp' } })
local M = {}

local marks = { 'environment.conf', 'Puppetfile', 'metadata.json', 'hiera.yaml', '.git' }

-- The nearest directory above a file that marks a repository, or that of the file itself.
local function root_of(file)
  local directory = vim.fn.fnamemodify(file, ':p:h')
  local own = directory
  while true do
    for _, mark in ipairs(marks) do
      if vim.loop.fs_stat(directory .. '/' .. mark) then
        return directory
      end
    end
    local above = vim.fn.fnamemodify(directory, ':h')
    if above == directory then
      return own
    end
    directory = above
  end
end

-- One server for each repository.
local clients = {}

function M.attach(buffer, options)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  if not clients[root] then
    clients[root] = vim.lsp.start_client({
      name = 'kukla',
      cmd = (options or {}).cmd or { 'kukla', 'lsp' },
      root_dir = root,
      init_options = (options or {}).settings,
      on_exit = function()
        clients[root] = nil
      end,
    })
  end
  vim.lsp.buf_attach_client(buffer, clients[root])
end

function M.setup(options)
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    pattern = { '*.pp' },
    command = 'setlocal filetype=puppet commentstring=#\\ %s',
  })
  vim.api.nvim_create_autocmd('FileType', {
    pattern = { 'puppet', 'epuppet', 'yaml' },
    callback = function(arguments)
      M.attach(arguments.buf, options)
    end,
  })
end

return M
