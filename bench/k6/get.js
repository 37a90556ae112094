// GET in a loop over keep-alive: k6 run --vus N --duration D -e URL=… get.js
import http from 'k6/http';

export default function () {
  http.get(__ENV.URL);
}
