// mutool run metadata.js <source.pdf> <paths.json>: copies the metadata of a PDF to its parts.
// Prints "unread" when the source cannot be read.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

// The language and the title display belong to the metadata; PDF/A and PDF/X conformance require the output profile.
var catalogKeys = ['Metadata', 'Lang', 'ViewerPreferences', 'OutputIntents']

function tryOpen(path) {
  try {
    return new PDFDocument(path)
  } catch (_) {
    return undefined
  }
}

function copyMetadata(path, source) {
  var part = new PDFDocument(path)
  var graft = part.newGraftMap()
  var changed = false
  function copy(value, put) {
    if (!value || value.isNull()) return
    put(graft.graftObject(value))
    changed = true
  }
  copy(source.getTrailer().get('Info'), function (info) {
    // The first change gives the part a new trailer, so it must be read after grafting.
    part.getTrailer().put('Info', info)
  })
  catalogKeys.forEach(function (key) {
    copy(source.getTrailer().get('Root').get(key), function (value) {
      part.getTrailer().get('Root').put(key, value)
    })
  })
  if (changed) part.save(path, 'incremental')
}

var source = tryOpen(scriptArgs[0])
if (!source) print('unread')
else {
  JSON.parse(read(scriptArgs[1])).forEach(function (path) {
    copyMetadata(path, source)
  })
}
