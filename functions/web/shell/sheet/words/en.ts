/** Texts of the list of keyboard shortcuts. */

export default {
  title: 'Keyboard shortcuts',
  /** Descriptions by key. */
  keys: {
    a: 'Add files',
    c: 'Convert everything that is ready',
    d: 'Download',
    n: 'Go to the next problem',
    u: 'Undo removing a file',
    '?': 'Show this list',
  },
  areOn: 'Use single-key shortcuts',
  close: 'Close',
}
