-- Uses the server in Neovim without a screen: nvim --headless -u NONE -c 'luafile test.lua', with the environment variables
-- KUKLA (the binary), KUKLA_SITE (a copy of examples/site) and KUKLA_EDITORS (the directory of this one).
package.path = vim.env.KUKLA_EDITORS .. '/neovim/?.lua;' .. package.path

local function fail(message)
  io.stderr:write('failed: ' .. message .. '\n')
  vim.cmd('cquit 1')
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 50) then
    fail(what)
  end
end

local function request(buffer, method, parameters)
  local answers, problem = vim.lsp.buf_request_sync(buffer, method, parameters, 20000)
  if problem then
    fail(method .. ': ' .. problem)
  end
  for _, answer in pairs(answers) do
    if answer.error then
      fail(method .. ': ' .. answer.error.message)
    end
    return answer.result
  end
  fail(method .. ': no server answers')
end

local function main()
  vim.o.hidden = true
  vim.o.swapfile = false
  require('kukla').setup({ cmd = { vim.env.KUKLA, 'lsp' } })
  vim.cmd('edit ' .. vim.env.KUKLA_SITE .. '/modules/profile/manifests/base.pp')
  local buffer = vim.api.nvim_get_current_buf()
  wait('no server is attached', function()
    local clients = vim.lsp.buf_get_clients(buffer)
    local _, client = next(clients)
    return client and client.initialized
  end)

  -- Diagnostics follow the text.
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { 'class profile::extra { include profile::bsae }' })
  wait('no diagnostic', function()
    for _, one in ipairs(vim.diagnostic.get(buffer)) do
      if one.code == 'unknown-class' or (one.user_data and one.user_data.lsp.code == 'unknown-class') then
        return one.lnum == #lines
      end
    end
  end)

  -- Completion inside incomplete code.
  vim.api.nvim_buf_set_lines(buffer, -2, -1, false, { 'class profile::extra { include profile::b' })
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_win_set_cursor(0, { last, 0 })
  vim.cmd('normal! $')
  local position = vim.lsp.util.make_position_params()
  position.position.character = position.position.character + 1
  local found = request(buffer, 'textDocument/completion', position)
  local has_base = false
  for _, item in ipairs(found.items or found) do
    has_base = has_base or item.label == 'profile::base'
  end
  if not has_base then
    fail('no completion')
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)

  -- A class, with the references to it in other files.
  local at
  for number, line in ipairs(lines) do
    local column = line:find('class profile::base')
    at = at or (column and { number, column + 6 })
  end
  vim.api.nvim_win_set_cursor(0, at)
  local renaming = vim.lsp.util.make_position_params()
  renaming.newName = 'profile::common'
  local edit = request(buffer, 'textDocument/rename', renaming)
  vim.lsp.util.apply_workspace_edit(edit, 'utf-16')
  local site = vim.fn.bufadd(vim.env.KUKLA_SITE .. '/manifests/site.pp')
  vim.fn.bufload(site)
  local text = table.concat(vim.api.nvim_buf_get_lines(site, 0, -1, false), '\n')
  if text:find('profile::base') or not text:find('include profile::common') then
    fail('the references are not renamed:\n' .. text)
  end

  -- Formatting.
  vim.cmd('edit ' .. vim.env.KUKLA_SITE .. '/modules/profile/manifests/spaced.pp')
  buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { 'class profile::spaced {', 'include   profile::web', '}' })
  wait('no server is attached to a new file', function()
    return next(vim.lsp.buf_get_clients(buffer)) ~= nil
  end)
  local edits = request(buffer, 'textDocument/formatting', vim.lsp.util.make_formatting_params({}))
  vim.lsp.util.apply_text_edits(edits, buffer, 'utf-16')
  if vim.api.nvim_buf_get_lines(buffer, 1, 2, false)[1] ~= '  include profile::web' then
    fail('not formatted: ' .. vim.inspect(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)))
  end
  io.stdout:write('attached, diagnostics, completion, rename, formatting\n')
  vim.cmd('qall!')
end

local ok, problem = pcall(main)
if not ok then
  fail(tostring(problem))
end
