// A function in a process of its own: its input on standard input, its result on standard output.
import { double } from './double.mjs'

process.stdin.on('data', (line) => process.stdout.write(JSON.stringify(double(JSON.parse(line)))))
