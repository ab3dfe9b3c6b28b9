// long
// Who says resume when the process that was to say it has gone: a summariser that ends before it answers, and a loop that only ever pauses.

import { scaledSeconds } from '../../wire/test/patience.js'
import { makeShell } from './shell.js'

/** As Mem.compact, after every call, and with a summariser that ends before it answers. */
const keep = (summariser: string) => `
  telemetry ; called ; Mem.pause ; ctrl_in
  ctrl_out ; Mem.read ; ctrl_in
  ctrl_out ; Mem.filled ; ${summariser}
  ${summariser}@telemetry ; Mem.verdict
  (Mem.filled * Mem.verdict) ; barrier ; Mem.judge ; ctrl_in
`
const doctor = `use mem
let doctor : (!string, !Mem.CtrlCmd) -> (!string, !json) = agent { provider: "eliza", model: "doctor" }
let called : !json -> !json = filter((value.kind ?? "") = "usage" and not has(value.paused))
`
const mortal = (script: string) => `${doctor}
let mortal : !Mem.Memory -> (!string, !json) = agent { command: ["sh", "-c", ${JSON.stringify(script)}] }
`
const nested = (script: string) => `${mortal(script)}
let keep : (!Mem.CtrlResp, !json) -> !Mem.CtrlCmd = plumb(ctrl_out, telemetry, ctrl_in) {${keep('mortal')}}
let main : !string -> !string = plumb(input, output) {
  let c : !Mem.CtrlResp = channel
  let t : !json = channel
  let k : !Mem.CtrlCmd = channel
  spawn doctor(input=input, ctrl_in=k, output=output, ctrl_out=c, telemetry=t)
  spawn keep(ctrl_out=c, telemetry=t, ctrl_in=k)
}
`
const flat = (script: string) => `${mortal(script)}
let main : !string -> !string = plumb(input, output) {
  let ctrl_out : !Mem.CtrlResp = channel
  let telemetry : !json = channel
  let ctrl_in : !Mem.CtrlCmd = channel
  spawn doctor(input=input, ctrl_in=ctrl_in, output=output, ctrl_out=ctrl_out, telemetry=telemetry)
${keep('mortal')}}
`
const { table } = makeShell({
  'nested.plumb': nested('read line; exit 3'),
  'flat.plumb': flat('read line; exit 3'),
  'quits.plumb': nested('read line; exit 0'),
  'killed.plumb': flat('read line; kill -9 $$'),
  'early.plumb': nested('exit 3'),
  'forever.plumb': `${doctor}let main : !string -> !string = plumb(input, output) {
  input ; doctor ; output
  doctor@telemetry ; called ; Mem.pause ; doctor@ctrl_in
}
`,
})

/** Each kind of error once: how many messages had reached it by then is chance. */
const reported = (run: string) => ({
  run: `{ ${run}; } 2>err; status=$?; pick '_.error + " " + _.process' < err | sort -u; exit $status`,
  out: '1\n2\n3\n4\n5\nchild_failed mortal\nunpaired barrier\n',
  status: 1,
})
const atEnd = (name: string) =>
  reported(`set -o pipefail; for i in 1 2 3 4 5; do echo '"Men are all alike."'; done | plumb ${name}.plumb | awk '{ print NR }'`)
/** The next is said when the last is answered. */
const whileOpen = (name: string) =>
  reported(`mkfifo in out; plumb ${name}.plumb <in >out & exec 8>in 9<out
    for i in 1 2 3 4 5; do echo '"Men are all alike."' >&8; read -r -t ${scaledSeconds(8)} answer <&9 && echo $i; done; exec 8>&-; wait $!`)

table('a summariser that ends before it answers, and the agent that it leaves paused', {
  'in a plumb of its own, at the end of the input': atEnd('nested'),
  'in a plumb of its own, with the input open': whileOpen('nested'),
  'in the same loop, at the end of the input': atEnd('flat'),
  'in the same loop, with the input open': whileOpen('flat'),
  'with status 0': whileOpen('quits'),
  'by kill -9': whileOpen('killed'),
  'before it was asked anything': { ...whileOpen('early'), out: /^1\n2\n3\n4\n5\nchild_failed mortal\n(unpaired barrier\n)?$/ },
  'no summariser at all: the one that paused it never says resume': { ...atEnd('forever'), out: '1\n2\n3\n4\n5\n', status: 0 },
})
