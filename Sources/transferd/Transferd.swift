@main
enum Transferd {
    static func main() {}
}
