/** Records of columns and rows, which precede their cells ([MS-XLS] 2.4.53 and 2.4.221). */
const [columnsRecord, rowRecord] = [0x007d, 0x0208]
const hiddenColumnFlag = 0x01
const hiddenRowFlag = 0x20
/** Number of columns of a sheet. */
const maxColumns = 256

/** Tracks which cells of an Excel 97 to 2003 sheet are hidden, while its records are read. */
export class HiddenCells {
  hasHidden = false
  readonly #isSheetHidden: boolean
  readonly #columns: { readonly first: number; readonly last: number }[] = []
  readonly #rows = new Set<number>()

  constructor(isSheetHidden: boolean) {
    this.#isSheetHidden = isSheetHidden
    this.hasHidden = isSheetHidden
  }

  addRecord({ type, data }: { readonly type: number; readonly data: Buffer }): void {
    if (type === columnsRecord && (data.readUInt16LE(8) & hiddenColumnFlag) !== 0) {
      if (this.#columns.length < maxColumns)
        this.#columns.push({ first: data.readUInt16LE(0), last: data.readUInt16LE(2) })
      this.hasHidden = true
    } else if (type === rowRecord && (data.readUInt16LE(12) & hiddenRowFlag) !== 0) {
      this.#rows.add(data.readUInt16LE(0))
      this.hasHidden = true
    }
  }

  /** Whether a cell is hidden. @param cell record of the cell, which starts with its row and column. */
  hides(cell: Buffer): boolean {
    if (this.#isSheetHidden || this.#rows.has(cell.readUInt16LE(0))) return true
    const column = cell.readUInt16LE(2)
    return this.#columns.some(({ first, last }) => column >= first && column <= last)
  }
}
