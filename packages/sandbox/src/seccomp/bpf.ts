// An assembler for classic BPF as seccomp(2) runs it: instructions with labels to `struct sock_filter` bytes.

/** Offsets in `struct seccomp_data`: the number of the call, the architecture, and the lower half of each argument. */
export const CALL_NUMBER = 0
export const ARCHITECTURE = 4
export const argument = (index: number): number => 16 + 8 * index

/** `SECCOMP_RET_ALLOW`. */
const ALLOW = 0x7fff0000
/** `SECCOMP_RET_ERRNO`: the call fails with the number in the lower half. */
const ERRNO = 0x00050000

/** `yes` and `no` are labels; a jump without a label continues with the next instruction. */
export type Instruction =
  | { readonly op: 'load'; readonly offset: number }
  | { readonly op: 'and'; readonly mask: number }
  | { readonly op: 'if'; readonly test: 'equal' | 'over' | 'bits'; readonly value: number; readonly yes?: string; readonly no?: string }
  | { readonly op: 'allow' }
  | { readonly op: 'fail'; readonly errno: number }
  | { readonly op: 'label'; readonly name: string }

const LOAD_WORD = 0x20
const AND = 0x54
const RETURN = 0x06
const JUMPS = { equal: 0x15, over: 0x25, bits: 0x45 } as const
const MAX_JUMP = 255
const INSTRUCTION_BYTES = 8

/** An array of `struct sock_filter`, little-endian as both supported architectures are. Throws if a jump is too long. */
export const assembleBpf = (program: readonly Instruction[]): Uint8Array => {
  const places = new Map<string, number>()
  let length = 0
  for (const step of program) {
    if (step.op === 'label') places.set(step.name, length)
    else length++
  }
  const bytes = Buffer.alloc(length * INSTRUCTION_BYTES)
  let index = 0
  const distance = (label: string | undefined): number => {
    if (label === undefined) return 0
    const jump = (places.get(label) ?? -1) - index - 1
    if (jump < 0 || jump > MAX_JUMP) throw new RangeError(`a jump to '${label}' from instruction ${index} is not possible`)
    return jump
  }
  const put = (code: number, k: number, yes = 0, no = 0): void => {
    const at = index * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(yes, at + 2)
    bytes.writeUInt8(no, at + 3)
    bytes.writeUInt32LE(k >>> 0, at + 4)
    index++
  }
  for (const step of program) {
    if (step.op === 'load') put(LOAD_WORD, step.offset)
    else if (step.op === 'and') put(AND, step.mask)
    else if (step.op === 'if') put(JUMPS[step.test], step.value, distance(step.yes), distance(step.no))
    else if (step.op === 'allow') put(RETURN, ALLOW)
    else if (step.op === 'fail') put(RETURN, ERRNO | step.errno)
  }
  return bytes
}
