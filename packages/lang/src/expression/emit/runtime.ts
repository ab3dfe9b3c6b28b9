// The functions that generated code calls, by their names in it.

import { skipSpace, skipValue } from '@plumb/wire/json'
import { once } from '@plumb/wire/once'
import { applyTo, plainNumber, plainValue } from '../run/apply.js'
import { add, partIn, peekPart, sliceAny } from '../run/by-kind.js'
import {
  boolOf,
  exactOf,
  expectBool,
  expectIndex,
  expectInt,
  expectList,
  expectNumber,
  expectNumeric,
  expectObject,
  expectReal,
  expectString,
  expectStrings,
  intOf,
  numberOf,
  order,
  stringOfValue,
} from '../run/coerce.js'
import { equal } from '../run/equal.js'
import { expect, leave } from '../run/failure.js'
import { allFunctions } from '../run/function-table.js'
import { sliceSorted } from '../run/list.js'
import {
  addInts,
  add as addNumbers,
  divide,
  exactAt,
  intAt,
  multiplyInts,
  multiply as multiplyNumbers,
  numberAt,
  remainder,
  subtractInts,
  subtract as subtractNumbers,
} from '../run/number.js'
import { patternOf } from '../run/pattern.js'
import { fieldIn, itemIn, keyOf, peek, peekIn, peekItem, present, Slice, stringAt } from '../run/slice.js'
import { startSteps, takeSteps } from '../run/steps.js'
import { compareStrings, isText, sliceText, stringsOf, textOf } from '../run/text.js'
import { build, listOf, merge, put, putBool, putNumber, putString, putValue, refuseDeep, room, sliced } from '../run/write.js'

/** Listed by name, since a namespace of a module costs each start, whether it generates code or not. */
export const runtime = once(
  (): Readonly<Record<string, unknown>> => ({
    ...{
      skipSpace,
      skipValue,
      applyTo,
      plainNumber,
      plainValue,
      add,
      sliceAny,
      equal,
      expect,
      leave,
      sliceSorted,
      patternOf,
      startSteps,
      takeSteps,
    },
    ...{ boolOf, exactOf, intOf, numberOf, order, stringOfValue },
    ...{ expectBool, expectIndex, expectInt, expectList, expectNumber, expectObject, expectString, expectStrings },
    ...{ addInts, addNumbers, divide, exactAt, intAt, multiplyInts, multiplyNumbers, numberAt, remainder, subtractInts, subtractNumbers },
    ...{ expectNumeric, expectReal, sliced },
    ...{
      fieldIn,
      itemIn,
      keyOf,
      partIn,
      peek,
      peekIn,
      peekItem,
      peekPart,
      present,
      Slice,
      stringAt,
      compareStrings,
      isText,
      sliceText,
      stringsOf,
      textOf,
    },
    ...{ build, listOf, merge, put, putBool, putNumber, putString, putValue, refuseDeep, room },
    ...Object.fromEntries(allFunctions().map(({ id, run }) => [id, run])),
  }),
)
