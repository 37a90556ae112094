//! XPath.
/// A parsed body.
pub struct Tree;
