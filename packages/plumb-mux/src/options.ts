// What the command line asks for.

export interface MuxArguments {
  /** The program and its arguments; empty when a record alone is played back. */
  readonly command: readonly string[]
  /** The inverse: envelopes inside, real descriptors outside. */
  readonly isUnwrapped: boolean
  /** Lines of the program that cannot be read are told in its output, in their place. */
  readonly tellsUnreadable?: boolean
  readonly tee?: string
  readonly replay?: string
  readonly fds?: string
  readonly maxLineBytes?: number
}

/** As plumb starts it. */
const TELL_UNREADABLE = '--tell-unreadable'

/**
 * Reads a command line that has no options but that, without commander, which takes time to load. Returns undefined when there may be options, or no
 * command: then `readArguments` reads it.
 */
export const parseMuxArguments = ([first, ...rest]: readonly string[]): MuxArguments | undefined => {
  if (first === TELL_UNREADABLE && rest[0] === '--' && rest.length > 1)
    return { command: rest.slice(1), isUnwrapped: false, tellsUnreadable: true }
  const command = first === '--' || first === undefined ? rest : [first, ...rest]
  return command.length === 0 || (first !== '--' && first?.startsWith('-')) ? undefined : { command, isUnwrapped: false }
}
