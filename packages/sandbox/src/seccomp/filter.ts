// The seccomp filter of a sandbox: from the table of refused calls to the BPF program that bubblewrap loads.

import { ARCHITECTURE, argument, assembleBpf, CALL_NUMBER, type Instruction } from './bpf.js'
import {
  type Arch,
  type ArgumentRule,
  callNumber,
  LAST_KNOWN_CALL,
  type RefusedCalls,
  refusedCalls,
  UNKNOWN_CALL_ERRNO,
} from './refused-calls.js'

/** `AUDIT_ARCH_…`. Calls of another architecture, such as 32-bit x86, have other numbers and are refused. */
const AUDIT_ARCH: Readonly<Record<Arch, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** Undefined if the system call numbers of this architecture are not in the table. */
export const archOf = (name: string): Arch | undefined => (name === 'x64' || name === 'arm64' ? name : undefined)

const assembled = new Map<string, Uint8Array>()

/** The filter for bubblewrap's `--seccomp`, assembled once a process. */
export const assembleFilter = (arch: Arch, { hasSockets }: { readonly hasSockets: boolean }): Uint8Array => {
  const key = `${arch} ${hasSockets}`
  const filter = assembled.get(key) ?? assembleRules(arch, hasSockets)
  assembled.set(key, filter)
  return filter
}

const assembleRules = (arch: Arch, hasSockets: boolean): Uint8Array =>
  assembleBpf([
    { op: 'load', offset: ARCHITECTURE },
    { op: 'if', test: 'equal', value: AUDIT_ARCH[arch], yes: 'known architecture' },
    { op: 'fail', errno: UNKNOWN_CALL_ERRNO },
    { op: 'label', name: 'known architecture' },
    { op: 'load', offset: CALL_NUMBER },
    // The x32 ABI makes the same calls by numbers from 0x40000000 up, so this refuses them too.
    { op: 'if', test: 'over', value: LAST_KNOWN_CALL, no: 'known call' },
    { op: 'fail', errno: UNKNOWN_CALL_ERRNO },
    { op: 'label', name: 'known call' },
    ...refusedCalls(hasSockets).flatMap((refusal, i) =>
      refusal.calls.flatMap((call) => refuse(refusal, callNumber(call, arch), `${i} ${call}`)),
    ),
    { op: 'allow' },
  ])

const refuse = ({ errno, uses = [] }: RefusedCalls, number: number | undefined, label: string): readonly Instruction[] => {
  if (number === undefined) return []
  const other = `${label} is another call`
  const unlike = `${label} is another use`
  return [
    { op: 'if', test: 'equal', value: number, no: other },
    ...uses.flatMap((use, i) => test(use, unlike, `${label} use ${i} fits`)),
    { op: 'fail', errno },
    ...(uses.length === 0
      ? []
      : ([
          { op: 'label', name: unlike },
          { op: 'load', offset: CALL_NUMBER },
        ] as const)),
    { op: 'label', name: other },
  ]
}

/** Continues if the argument matches the rule, and jumps to `unlike` otherwise. */
const test = ({ argument: index, mask, is, values }: ArgumentRule, unlike: string, fits: string): readonly Instruction[] => [
  { op: 'load', offset: argument(index) },
  ...(mask === undefined ? [] : ([{ op: 'and', mask }] as const)),
  ...values.map((value, i): Instruction => {
    if (is === 'none of') return { op: 'if', test: 'equal', value, yes: unlike }
    const isLast = i === values.length - 1
    return { op: 'if', test: is === 'one of' ? 'equal' : 'bits', value, ...(isLast ? { no: unlike } : { yes: fits }) }
  }),
  { op: 'label', name: fits },
]
