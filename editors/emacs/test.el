;;; test.el --- uses the server in Emacs without a screen -*- lexical-binding: t -*-

;;; Commentary:

;; emacs --batch -l test.el, with the environment variables KUKLA (the binary), KUKLA_SITE (a copy of examples/site) and KUKLA_EDITORS (the
;; directory of this one).

;;; Code:

(require 'package)
(package-initialize)
(unless (require 'lsp-mode nil t)
  (message "absent: lsp-mode")
  (kill-emacs 77))
(add-to-list 'load-path (expand-file-name "emacs" (getenv "KUKLA_EDITORS")))
(require 'kukla)

(setq kukla-command (list (getenv "KUKLA") "lsp")
      make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      lsp-session-file (make-temp-file "kukla-session")
      lsp-auto-guess-root t
      lsp-enable-file-watchers nil
      lsp-diagnostics-provider :none
      lsp-modeline-diagnostics-enable nil
      lsp-headerline-breadcrumb-enable nil
      lsp-enable-suggest-server-download nil
      lsp-response-timeout 20)

(defun test-wait (what condition)
  "Wait until CONDITION holds, or fail with WHAT."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless (funcall condition)
      (error "%s" what))))

(defun test-site (path)
  "The file PATH of the site."
  (expand-file-name path (getenv "KUKLA_SITE")))

(let ((site (file-name-as-directory (getenv "KUKLA_SITE"))))
  (lsp-workspace-folders-add site)
  (find-file (test-site "modules/profile/manifests/base.pp"))
  (let ((own (current-buffer)) (original (buffer-string)))
    (lsp)
    (test-wait "no server is attached"
               (lambda () (seq-some (lambda (one) (eq (lsp--workspace-status one) 'initialized)) (lsp-workspaces))))
    ;; Diagnostics follow the text.
    (goto-char (point-max))
    (insert "class profile::extra { include profile::bsae }\n")
    (test-wait "no diagnostic"
               (lambda ()
                 (seq-some (lambda (one) (equal (lsp-get one :code) "unknown-class"))
                           (gethash (buffer-file-name) (lsp-diagnostics)))))
    ;; Completion inside incomplete code.
    (forward-line -1)
    (delete-region (point) (point-max))
    (insert "class profile::extra { include profile::b")
    (let* ((found (lsp-request "textDocument/completion" (lsp--text-document-position-params)))
           (items (if (lsp-completion-list? found) (lsp-get found :items) found)))
      (unless (seq-some (lambda (item) (equal (lsp-get item :label) "profile::base")) items)
        (error "no completion: %S" (seq-take (seq-map (lambda (one) (lsp-get one :label)) items) 5))))
    (erase-buffer)
    (insert original)
    ;; A class, with the references to it in other files.
    (goto-char (point-min))
    (search-forward "class profile::base")
    (backward-char 2)
    (lsp-rename "profile::common")
    (with-current-buffer (find-file-noselect (test-site "manifests/site.pp"))
      (when (or (not (string-match-p "include profile::common" (buffer-string)))
                (string-match-p "profile::base" (buffer-string)))
        (error "the references are not renamed: %s" (buffer-string))))
    (kill-buffer own))
  ;; Formatting, of a file that is not on the disk.
  (find-file (test-site "modules/profile/manifests/spaced.pp"))
  (insert "class profile::spaced {\ninclude   profile::web\n}\n")
  (lsp)
  (test-wait "no server is attached to a new file" (lambda () (lsp-workspaces)))
  (lsp-format-buffer)
  (unless (string-match-p "\n  include profile::web\n" (buffer-string))
    (error "not formatted: %s" (buffer-string)))
  (set-buffer-modified-p nil)
  (princ "attached, diagnostics, completion, rename, formatting\n")
  (kill-emacs 0))
;;; test.el ends here
