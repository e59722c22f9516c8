/** Reads files from drag and drop, the clipboard or the file dialog. */

/** Maximum number of files that are added together, in case the user drops a large folder by mistake. */
export const maxFiles = 2000

const droppedPaths = new WeakMap<File, string>()

/** Returns the folder of a file, such as `album/2024`; undefined if the file does not come from a folder. */
export function getFolder(file: File): string | undefined {
  const path = droppedPaths.get(file) ?? file.webkitRelativePath
  // On some systems backslashes separate folders, and the service rejects control characters in names of ZIP entries.
  const folder = path
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be removed
    .replace(/[\\\u0000-\u001f\u007f]/g, '_')
    .split('/')
    .slice(0, -1)
    .join('/')
  return folder === '' ? undefined : folder
}

export function onDroppedFiles(onFiles: (files: readonly File[]) => void): void {
  const root = document.documentElement
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    // Without this, the browser would open the file and leave the page.
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
    root.dataset['drop'] = 'possible'
  })
  window.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) delete root.dataset['drop']
  })
  window.addEventListener('drop', (event) => {
    delete root.dataset['drop']
    if (!event.dataTransfer || !hasFiles(event)) return
    event.preventDefault()
    // Both lists must be read before the first await; after it, the event's lists are empty.
    const files = [...event.dataTransfer.files]
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry())
    const hasFolder = entries.some((entry) => entry?.isDirectory)
    void (hasFolder ? listFiles(entries) : Promise.resolve(files)).then(onFiles)
  })
}

export function onPastedFiles(onFiles: (files: readonly File[]) => void, onUrl: (url: string) => void): void {
  document.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])]
    const url = parseUrl(event.clipboardData?.getData('text/plain') ?? '')
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (files.length === 0 && (!url || isTyping)) return
    event.preventDefault()
    if (files.length > 0) onFiles(files)
    else if (url) onUrl(url)
  })
}

/** Returns the URL if the text consists of one; otherwise undefined. */
export function parseUrl(text: string): string | undefined {
  const trimmed = text.trim()
  return /^https?:\/\/[^\s]+$/i.test(trimmed) && URL.canParse(trimmed) ? trimmed : undefined
}

/** Opens the file dialog; returns no files if the user cancels it. Browsers only open it after a user gesture. */
export function chooseFiles({
  multiple = true,
  folder = false,
  camera = false,
} = {}): Promise<readonly File[]> {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = multiple
  input.webkitdirectory = folder
  if (camera) {
    input.accept = 'image/*'
    // Set as an attribute, because desktop browsers do not have this property.
    input.setAttribute('capture', 'environment')
  }
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]), { once: true })
    input.addEventListener('cancel', () => resolve([]), { once: true })
    input.click()
  })
}

export const chooseFile = async () => (await chooseFiles({ multiple: false }))[0]

async function listFiles(entries: readonly (FileSystemEntry | null)[]): Promise<File[]> {
  const foundFiles: File[] = []
  const pendingEntries = entries.filter((entry) => entry !== null)
  for (
    let entry = pendingEntries.shift();
    entry && foundFiles.length <= maxFiles;
    entry = pendingEntries.shift()
  ) {
    if (isFile(entry)) foundFiles.push(await readFile(entry))
    else if (isFolder(entry)) pendingEntries.push(...(await readEntries(entry)))
  }
  return foundFiles
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

async function readFile(entry: FileSystemFileEntry): Promise<File> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
  droppedPaths.set(file, entry.fullPath.slice(1))
  return file
}

async function readEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const foundEntries: FileSystemEntry[] = []
  // Entries are read in batches; an empty batch means the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0 || foundEntries.length > maxFiles) return foundEntries
    foundEntries.push(...batch)
  }
}
