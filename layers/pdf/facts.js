// mutool run facts.js <source.pdf> <paths.json>: gives the parts of a PDF what it says of itself as a whole.
// Prints "unread" where the source cannot be read.
// biome-ignore-all lint/suspicious/noVar: mutool's interpreter knows ES5.
// biome-ignore-all lint/complexity/useArrowFunction: mutool's interpreter knows ES5.

// A language and how a title is shown belong to the texts; the profile is what a claim of PDF/A or PDF/X rests on.
var ofCatalog = ['Metadata', 'Lang', 'ViewerPreferences', 'OutputIntents']

function opened(path) {
  try {
    return new PDFDocument(path)
  } catch (_) {
    return undefined
  }
}

function describe(path, source) {
  var part = new PDFDocument(path)
  var graft = part.newGraftMap()
  var changed = false
  function copy(value, put) {
    if (!value || value.isNull()) return
    put(graft.graftObject(value))
    changed = true
  }
  copy(source.getTrailer().get('Info'), function (info) {
    // With the first change the part gets a trailer of its own, so only now it is asked for.
    part.getTrailer().put('Info', info)
  })
  ofCatalog.forEach(function (key) {
    copy(source.getTrailer().get('Root').get(key), function (value) {
      part.getTrailer().get('Root').put(key, value)
    })
  })
  if (changed) part.save(path, 'incremental')
}

var source = opened(scriptArgs[0])
if (!source) print('unread')
else {
  JSON.parse(read(scriptArgs[1])).forEach(function (path) {
    describe(path, source)
  })
}
