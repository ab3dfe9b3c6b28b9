// The least a process can do with a line: what comes in goes out.
'use strict'
process.stdin.on('data', (chunk) => process.stdout.write(chunk))
