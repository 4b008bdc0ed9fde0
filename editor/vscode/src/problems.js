// The problems of a gate (`cyclescope gate --sarif`, SARIF 2.1.0), by file.
'use strict';

const path = require('node:path');

const SEVERITIES = { error: 'error', warning: 'warning', note: 'information', none: 'information' };

/**
 * Reads the results of a log: for each file its problems (`line`, from 1, `message`, `severity`, `code`). Relative files are relative to
 * `folder`.
 *
 * @throws if the text is no SARIF.
 */
function read(text, folder) {
  const log = JSON.parse(text);
  if (!log || !Array.isArray(log.runs)) {
    throw new Error('this is not a log of SARIF 2.1.0');
  }
  const files = new Map();
  for (const result of log.runs.flatMap((run) => run.results || [])) {
    const place = (result.locations || []).map((location) => location.physicalLocation).find(Boolean);
    const uri = place && place.artifactLocation && place.artifactLocation.uri;
    if (!uri) {
      continue;
    }
    const file = uri.startsWith('file:') ? require('node:url').fileURLToPath(uri) : path.resolve(folder, decodeURIComponent(uri));
    if (!files.has(file)) {
      files.set(file, []);
    }
    files.get(file).push({
      line: (place.region && place.region.startLine) || 1,
      message: (result.message && result.message.text) || 'limit exceeded',
      severity: SEVERITIES[result.level || 'warning'] || 'warning',
      code: result.ruleId,
    });
  }
  return files;
}

module.exports = { read };
