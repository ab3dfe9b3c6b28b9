" Comments, layout and :make for specs of plumb.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=(*\ %s\ *)
setlocal comments=sr:(*,mb:*,ex:*)
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal suffixesadd=.plumb
setlocal makeprg=plumb\ check\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ note:\ %m,%-G%.%#
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< suffixesadd< makeprg< errorformat<'
