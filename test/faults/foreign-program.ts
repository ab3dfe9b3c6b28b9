// A program of others in bash, that answers as it is told: rightly, or one of the ways not to. It says on stderr and on descriptor 3 what it
// should not, since that answers nothing.

/** How a program answers, and what it does that the wiring has to know. */
export interface Manner {
  readonly form: 'each' | 'numbered'
  /** It answers with what belongs to another input, where its lines are counted. */
  readonly mixes?: true
  /** It drops the inputs that all programs here drop. */
  readonly drops?: true
  /** What it does depends on what came before, not on the message alone. */
  readonly counts?: true
  /** It waits for its input to end, so that it may not stand in a loop. */
  readonly waits?: true
  /** It writes numbers. */
  readonly isNumeric?: true
}

export const MANNERS: Readonly<Record<string, Manner>> = {
  right: { form: 'each' },
  slow: { form: 'each' },
  misfits: { form: 'each' },
  garbles: { form: 'each' },
  twice: { form: 'each', mixes: true, counts: true },
  omits: { form: 'each', mixes: true, counts: true, waits: true },
  early: { form: 'each', mixes: true, counts: true },
  'ends-well': { form: 'each', counts: true },
  'ends-3': { form: 'each', counts: true },
  'ends-killed': { form: 'each', counts: true },
  'cut-3': { form: 'each', counts: true, isNumeric: true },
  'cut-killed': { form: 'each', counts: true, isNumeric: true },
  'cut-well': { form: 'each', counts: true, isNumeric: true },
  'n-right': { form: 'numbered' },
  'n-beside': { form: 'numbered' },
  'n-late': { form: 'numbered', waits: true },
  'n-idle': { form: 'numbered' },
  'n-several': { form: 'numbered' },
  'n-drops': { form: 'numbered', drops: true },
  'n-fails': { form: 'numbered' },
  'n-fails-behind': { form: 'numbered' },
  'n-more': { form: 'numbered' },
  'n-misfits': { form: 'numbered' },
  'n-odd-members': { form: 'numbered' },
  'n-unsent': { form: 'numbered', counts: true },
  'n-again': { form: 'numbered', counts: true },
  'n-another-form': { form: 'numbered', counts: true },
  'n-no-seq': { form: 'numbered', counts: true },
  'n-ends-well': { form: 'numbered', counts: true },
  'n-ends-3': { form: 'numbered', counts: true },
  'n-ends-killed': { form: 'numbered', counts: true },
  'n-cut-killed': { form: 'numbered', counts: true },
}

/** Inputs that programs and filters here drop. */
export const DROPPED = { modulus: 5, rest: 2 } as const

/** `bash program.sh MANNER K`: does what is odd at its K-th input, or at one message in three. */
export const PROGRAM = String.raw`#!/bin/bash
how=$1 k=$2 n=0 held=()
noise() { echo '{"error":"timeout","category":"unavailable","detail":"noise","seq":'"$n"'}' >&2; echo '{"kind":"settled","inputs":99,"controls":0,"outputs":'"$n"'}' >&3; } 2>&-
value() { printf '{"p":%d,"id":%d,"n":%d,"bad":%s}' "$p" "$id" "$((m + \${1:-1}))" "$bad"; }
say() { echo '{"seq":'"$n"','"$1"'}'; }
answer() { say '"value":'"$(value)"; say '"done":true'; }
stop() { case $how in *well) exit 0;; *3) exit 3;; *) kill -9 $$;; esac; }
flush() { for ((i = \${#held[@]} - 1; i >= 0; i--)); do echo "\${held[i]}"; done; held=(); }
failed='"error":{"error":"overloaded","category":"unavailable","detail":"not this one"}'
[ "$how" = early ] && echo '{"p":0,"id":0,"n":0,"bad":false}'
while IFS= read -r line; do
  n=$((n + 1))
  if [[ $line =~ ^\{\"p\":([0-9]+),\"id\":([0-9]+),\"n\":([0-9]+),\"bad\":(true|false)\}$ ]]; then
    p=\${BASH_REMATCH[1]} id=\${BASH_REMATCH[2]} m=\${BASH_REMATCH[3]} bad=\${BASH_REMATCH[4]}
  fi
  ((n % 3 == 1)) && noise
  odd=$((id % 3 == k % 3)) at=$((n == k))
  case $how in
    slow) ((odd)) && read -rt 0.02 <> <(:); value; echo;;
    misfits) if ((odd)); then echo '{"p":"none","id":'"$id"'}'; else value; echo; fi;;
    garbles) if ((odd)); then echo 'no JSON'; else value; echo; fi;;
    twice) value; echo; ((at)) && { value; echo; };;
    omits) ((at)) || { value; echo; };;
    right|early) value; echo;;
    ends-*) ((at)) && stop; value; echo;;
    cut-*) if ((at)); then printf %s "\${line:0:\${#line}-2}"; [ "$how" = cut-well ] && printf e; stop; fi; echo "$line";;
    n-right) answer;;
    n-beside) say '"value":'"$(value)"',"done":true';;
    n-late) held+=('{"seq":'"$n"',"value":'"$(value)"',"done":true}');;
    n-idle) held+=('{"seq":'"$n"',"value":'"$(value)"',"done":true}'); read -rt 0 || flush;;
    n-several) for ((i = 0; i <= odd; i++)); do say '"value":'"$(value)"; done; say '"done":true';;
    n-drops) if ((id % ${DROPPED.modulus} == ${DROPPED.rest})); then say '"done":true'; else answer; fi;;
    n-fails) if ((odd)); then say "$failed"; else answer; fi;;
    n-fails-behind) if ((odd)); then say '"value":'"$(value)"; say "$failed"; else answer; fi;;
    n-more) if ((odd)); then say '"value":'"$(value)"; say "$failed"',"more":true'; say '"value":'"$(value)"; say '"done":true'; else answer; fi;;
    n-misfits) if ((odd)); then say '"value":"none"'; say '"value":'"$(value)"; say '"done":true'; else answer; fi;;
    n-odd-members) echo ' { "note" : {"seq":999,"done":true}, "value" : '"$(value)"' , "lost":true, "s\u0065q" : '"$n"' }'; say '"x":null,"done":true,"shared":true';;
    n-unsent) ((at)) && say '"x":1,"value":'"$(value)" | { read -r line; echo "\${line/#\{\"seq\":$n,/\{\"seq\":$((n + 1000)),}"; }; answer;;
    n-again) answer; ((at)) && answer;;
    n-another-form) ((at)) && { value; echo; }; answer;;
    n-no-seq) ((at)) && echo '{"seq":null,"value":'"$(value)"'}'; answer;;
    n-ends-*) ((at)) && { say '"value":'"$(value)"; stop; }; answer;;
    n-cut-*) ((at)) && { bad=true; printf '{"seq":%d,"value":%s,"done":true}' $n "$(value)"; stop; }; answer;;
  esac
done
flush
`.replaceAll('\\$', '$')

/** `node relay.mjs SEED COMMAND...`: runs the command with pipes of its own, and holds back its outputs in turn, by up to a second. */
export const RELAY = `import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'

const [seed, command, ...args] = process.argv.slice(2)
let state = Number(seed) + 1
const random = () => (state = (state * 48271) % 2147483647) / 2147483647
const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe', 'pipe'] })
const sinks = [process.stdout, process.stderr, createWriteStream('', { fd: 3 })]
const ended = new Promise((done) => child.on('exit', (status, signal) => done({ status, signal })))
// One of them comes at once, the others late.
const late = Math.floor(random() * 4)
const pass = async (source, sink, i) => {
  sink.on('error', () => {})
  if (late === 3 ? random() < 0.5 : late !== i) await new Promise((done) => setTimeout(done, random() * 1000))
  for await (const chunk of source) {
    if (!sink.write(chunk)) await new Promise((done) => sink.once('drain', done))
    if (random() < 0.3) await new Promise((done) => setTimeout(done, random() * 200))
  }
}
await Promise.all(sinks.map((sink, i) => pass(child.stdio[i + 1], sink, i)))
const { status, signal } = await ended
await Promise.all(sinks.map((sink) => new Promise((done) => sink.write('', done))))
if (signal) process.kill(process.pid, signal)
else process.exit(status)
`
