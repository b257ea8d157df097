;;; kukla.el --- Puppet code with `kukla lsp' in lsp-mode -*- lexical-binding: t -*-

;;; Commentary:

;; (require 'kukla) registers the server for Puppet code in lsp-mode.  Where puppet-mode is not installed, a plain mode for Puppet code is
;; used instead.

;;; Code:

(require 'lsp-mode)

(defgroup kukla nil
  "Puppet code with `kukla lsp'."
  :group 'languages)

(defcustom kukla-command '("kukla" "lsp")
  "The command that starts the server."
  :type '(repeat string)
  :group 'kukla)

(unless (fboundp 'puppet-mode)
  (define-derived-mode puppet-mode prog-mode "Puppet"
    "A mode for Puppet code without colours of its own."
    (setq-local comment-start "# ")
    (setq-local comment-start-skip "#+\\s-*")
    (setq-local indent-tabs-mode nil)
    (setq-local tab-width 2))
  (add-to-list 'auto-mode-alist '("\\.pp\\'" . puppet-mode)))

(add-to-list 'lsp-language-id-configuration '(puppet-mode . "puppet"))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () kukla-command))
  :activation-fn (lsp-activate-on "puppet")
  :server-id 'kukla))

(provide 'kukla)
;;; kukla.el ends here
