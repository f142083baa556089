import HTTPServer
import JSON
import Platform

extension TransferAPI {
    /// Logs at level debug what was answered with another status than 2xx, so that the request id
    /// that a customer names leads to the reason. Nothing of the request but its id is in the line.
    func noted(_ response: Response, _ fault: TokenFault? = nil) -> Response {
        if services.log.level <= .debug, !(200...299).contains(response.status) {
            note(response, fault)
        }
        return response
    }

    private func note(_ response: Response, _ fault: TokenFault?) {
        let id = String(decoding: response.field("X-Request-Id") ?? [], as: UTF8.self)
        let status = response.status
        // A problem of ours, made now or stored: its code is in it. A 304 or 303 has none.
        guard let problem = try? JSONDocument(response.body, maximumDepth: 8).root,
            let code = problem["code"]?.string
        else {
            services.log.debug(
                "request.answered", ["requestId": LogValue.text(id), "status": status])
            return
        }
        guard let fault = fault ?? TokenFault(code: code) else {
            services.log.debug(
                "request.answered",
                ["requestId": LogValue.text(id), "status": status, "code": LogValue.text(code)])
            return
        }
        services.log.debug(
            "request.answered",
            [
                "requestId": LogValue.text(id), "status": status, "code": LogValue.text(code),
                "token": LogValue.text(fault.rawValue),
            ])
    }
}
