// What combinations are made of: the work of a tool without its name and types.

import type { Tool } from '../tool.js'

export type Run = Tool['run']
