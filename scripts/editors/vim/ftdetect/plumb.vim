autocmd BufRead,BufNewFile *.plumb setfiletype plumb
autocmd BufRead * if getline(1) =~# '^#!.*\<plumb\>' | setfiletype plumb | endif
