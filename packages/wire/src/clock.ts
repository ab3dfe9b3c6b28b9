// Milliseconds since this process began, never going back. Not performance.now(): the first use of that loads 2 ms of Node.

export const nowMs = (): number => process.uptime() * 1000
