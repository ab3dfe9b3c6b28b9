// Bytes to a new file beside the one that it is to replace: on the disk, with that one's mode and owner.

import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** `path` must not exist. `mode` is that of a file which replaces none; default: what the umask leaves of 0666. */
export const writeNewFile = async (path: string, bytes: Uint8Array, old: Stats | undefined, mode?: number): Promise<void> => {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.chmod(old ? old.mode & (await keepOwner(handle, old)) : (mode ?? 0o666 & ~process.umask()))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// The superuser may give files away, others may change between groups of theirs. Resolves to the permissions that may be kept.
const keepOwner = async (handle: FileHandle, { uid, gid }: Stats): Promise<number> => {
  const own = await handle.stat()
  if (own.uid !== uid || own.gid !== gid) await handle.chown(process.getuid?.() === 0 ? uid : own.uid, gid).catch(() => {})
  const now = await handle.stat()
  return now.uid === uid && now.gid === gid ? 0o7777 : 0o777
}
